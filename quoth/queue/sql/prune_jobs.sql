-- The oldest rows only: they are the ones to go, and looking costs the same however many there are.
-- The number is written here, since a plan for any number would read the whole table.
with oldest as materialized (
    select id, state, ended_at
      from queue.job
     order by id
     limit 5000
)
delete from queue.job
 using oldest
 where job.id = oldest.id
   and job.state in ('done', 'failed', 'cancelled')
   and job.ended_at < now() - %(keep)s::interval
