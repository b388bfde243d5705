select id, kind, payload
  from queue.job
 where state = 'failed'
   and (%(ids)s::bigint[] is null or id = any(%(ids)s))
   and (%(lane)s::text is null or lane = %(lane)s)
 order by id
