-- Counted along partial indexes, up to a limit each: neither what is finished nor a flood makes a
-- look dear. Waiting jobs have one index for all lanes, so that one limit is for all of them.
select lane.name, lane.slots, coalesce(lane.width, lane.slots) as width, lane.per_minute,
       (select count(*)
          from queue.slot
         where slot.lane = lane.name and slot.job_id is not null) as in_flight,
       (select count(*)
          from (select
                  from queue.job
                 where job.lane = lane.name and job.state = 'pending' and job.slot is null
                 limit %(many)s) as pending) as pending,
       coalesce(waiting.jobs, 0) as waiting,
       (select job.due_at
          from queue.job
         where job.lane = lane.name and job.state = 'pending' and job.slot is null
         order by job.turn, job.id
         limit 1) as next_since,
       (select count(*)
          from (select
                  from queue.job
                 where job.lane = lane.name
                   and job.state in ('done', 'failed')
                   and job.ended_at > now() - interval '1 minute'
                 limit %(many_a_minute)s) as lately) as lately,
       case when lane.open_at > now() then lane.open_at end as cooling_until,
       lane.paused_at as paused_since, lane.reason,
       (select count(*)
          from queue.worker
         where lane.name = any(worker.lanes)
           and worker.beat_at > now() - interval '10 seconds') as workers
  from queue.lane
  left join (select lane, count(*) as jobs
               from (select job.lane
                       from queue.job
                      where job.state = 'waiting'
                      order by job.due_at
                      limit %(many)s) as due
              group by lane) as waiting on waiting.lane = lane.name
 order by lane.name
