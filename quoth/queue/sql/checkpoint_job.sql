update queue.job
   set call_until = null
 where id = %(id)s
   and fence = %(fence)s
   and state = 'running'
