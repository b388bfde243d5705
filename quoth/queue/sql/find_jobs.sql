select job.id
  from unnest(%(keys)s::text[]) with ordinality as given (key, place)
  join queue.job on job.kind = %(kind)s and job.key = given.key
 order by given.place
