select 1
  from queue.job
 where id = %(id)s
   and fence = %(fence)s
   and state in ('claimed', 'running')
