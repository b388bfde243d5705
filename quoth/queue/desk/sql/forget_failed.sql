delete from queue.job
 where kind = %(kind)s
   and key = any(%(keys)s)
   and state = 'failed'
