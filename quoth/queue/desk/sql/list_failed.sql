select id, kind, key, lane, reason, tries, crashes, ended_at
  from queue.job
 where state = 'failed'
   and (%(lane)s::text is null or lane = %(lane)s)
   and (%(before)s::bigint is null or id < %(before)s)
 order by id desc
 limit %(limit)s
