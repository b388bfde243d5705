-- Locked, so that two who retry the same job retry it once.
select id, kind, payload
  from queue.job
 where state = 'failed'
   and (%(ids)s::bigint[] is null or id = any(%(ids)s))
 order by id
   for update
