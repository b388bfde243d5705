-- Which jobs have lost their worker. A worker is *proved* dead when its session lock is gone though
-- the server has not restarted since its last beat, and a beat is missed; it is *presumed* dead
-- when its beats have stopped for a lease, judged only by one whose own beats are good (patient).
-- A job far past its deadline under a living worker counts as lost, too.
-- A proved death closes the worker's connections; otherwise its call may still be out, and the
-- job keeps its place and waits until that call must have ended.
-- A death is every job's that the worker held, and who caused it cannot be known. So a job whose
-- workers died twice is a suspect, worked on by a process that does nothing else meanwhile; only
-- when it was alone in its worker's hands has the third death failed it.
with worker as materialized (
    select id,
           witnessed
           and beat_at > pg_postmaster_start_time()
           and beat_at < now() - %(missed)s::interval
           and not exists (select from pg_locks
                            where locktype = 'advisory'
                              and database = (select oid from pg_database
                                               where datname = current_database())
                              and ((classid::bigint << 32) | objid::bigint) = worker.lock_key)
               as proved,
           beat_at < now() - %(lease)s::interval as silent
      from queue.worker
     where id <> %(worker)s
), lost as materialized (
    select job.id, job.lane, job.slot, job.state, job.call_until,
           coalesce(worker.proved, false) as proved,
           case when job.cancel_asked then 'cancelled'
                when job.crashes + 1 >= %(crash_cap)s and alone.is then 'failed'
                when job.state = 'running' and job.tries >= job.max_tries then 'failed'
                when job.state = 'claimed' then 'pending'
                else 'waiting' end as next
      from queue.job
      left join worker on worker.id = job.worker
     cross join lateral (select not exists (select from queue.job as other
                                             where other.worker = job.worker
                                               and other.state in ('claimed', 'running')
                                               and other.id <> job.id) as is) as alone
     where job.state in ('claimed', 'running')
       and job.worker <> %(worker)s
       and job.kind = any(%(kinds)s)
       and (worker.proved
            or (%(patient)s and (worker.id is null or worker.silent))
            or coalesce(job.started_at, job.claimed_at) + job.deadline + %(overdue)s::interval
               < now())
     order by job.id
     limit 500
       for update of job skip locked
), freed as (
    update queue.slot
       set job_id = null,
           closed_until = case when lost.proved then '-infinity'
                               else coalesce(lost.call_until, '-infinity') end
      from lost
     where slot.lane = lost.lane and slot.number = lost.slot and slot.job_id = lost.id
       and lost.next <> 'waiting'
)
update queue.job
   set state = lost.next,
       fence = job.fence + 1,
       tries = job.tries - (lost.state = 'claimed')::integer,
       crashes = job.crashes + 1,
       worker = null,
       slot = case when lost.next = 'waiting' then job.slot end,
       due_at = case when job.call_until is null then now()
                     when lost.proved then now() + random() * (job.crashes + 1) * %(spread)s::interval
                     else greatest(now(), job.call_until) end,
       reason = case when lost.next = 'failed' and job.crashes + 1 >= %(crash_cap)s
                     then 'each process that worked on it died, the last one on nothing else'
                     when lost.next = 'cancelled' then 'cancelled'
                     else 'the process that worked on it is gone' end,
       ended_at = case when lost.next in ('failed', 'cancelled') then now() end
  from lost
 where job.id = lost.id
returning job.id, job.kind, job.payload, job.state as how, job.reason
