select id
  from queue.job
 where worker = %(worker)s
   and state in ('claimed', 'running')
   and cancel_asked
