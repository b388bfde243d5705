delete from queue.job
 where state = 'failed'
   and (%(ids)s::bigint[] is null or id = any(%(ids)s))
returning id
