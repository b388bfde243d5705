-- A worker beats each second; one that has not for ten is gone or cut off.
select given.name,
       case when lane.open_at > now() then lane.open_at end as open_at,
       coalesce(lane.paused_at is not null, false) as paused,
       lane.reason,
       exists (select from queue.worker
                where given.name = any(worker.lanes)
                  and worker.beat_at > now() - interval '10 seconds') as served
  from unnest(%(names)s::text[]) as given (name)
  left join queue.lane on lane.name = given.name
