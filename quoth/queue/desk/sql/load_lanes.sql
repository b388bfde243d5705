-- Counted along the indexes of what is open, up to a limit; what is finished costs nothing.
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
       coalesce(lately.jobs, 0) as lately,
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
  left join (select lane, count(*) as jobs
               from (select job.lane, job.ended_at
                       from queue.job
                      order by job.id desc
                      limit 5000) as newest
              where ended_at > now() - interval '1 minute'
              group by lane) as lately on lately.lane = lane.name
 order by lane.name
