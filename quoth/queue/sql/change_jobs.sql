-- Every way out of a worker's hands, in one statement: the fence is checked, the place in the lane
-- freed (or kept, for a call that goes on at the engine), a lane cooled or widened.
with given as materialized (
    select id, fence, state, make_interval(secs => delay) as delay, reason, refund, deferral, keep,
           cool
      from jsonb_to_recordset(%(changes)s::jsonb)
           as change (id bigint, fence bigint, state text, delay double precision, reason text,
                      refund boolean, deferral boolean, keep boolean, cool boolean)
), held as materialized (
    select job.id, job.lane, job.slot,
           case when job.cancel_asked and given.state <> 'done' then 'cancelled'
                else given.state end as state,
           given.delay, given.reason, given.refund, given.deferral, given.cool,
           given.keep and not job.cancel_asked as keep
      from queue.job
      join given on given.id = job.id and given.fence = job.fence
     where job.state in ('claimed', 'running')
     order by job.id
       for update of job
), changed as (
    update queue.job
       set state = held.state,
           fence = job.fence + 1,
           tries = job.tries - held.refund::integer,
           deferrals = job.deferrals + held.deferral::integer,
           -- Deferred together, they come back spread out.
           due_at = now() + held.delay * (1 + 0.3 * random() * held.deferral::integer),
           reason = held.reason,
           worker = null,
           slot = case when held.keep then job.slot end,
           call_until = null,
           ended_at = case when held.state in ('done', 'failed', 'cancelled') then now() end
      from held
     where job.id = held.id
    returning job.id, job.state
), freed as (
    update queue.slot
       set job_id = null
      from held
     where slot.lane = held.lane and slot.number = held.slot and slot.job_id = held.id
       and not held.keep
), touched as materialized (
    -- In one order, so that two who end jobs of several lanes never wait for each other in a circle.
    select lane.name
      from queue.lane
     where lane.name in (select lane from held where cool)
        or (lane.width is not null and lane.name in (select lane from held where state = 'done'))
     order by lane.name
       for update
), cooled as (
    update queue.lane
       set open_at = greatest(lane.open_at, now() + cool.delay),
           width = 1,
           reason = case when lane.paused_at is null then cool.reason else lane.reason end
      from touched
      join (select lane, max(delay) as delay, max(reason) as reason
              from held
             where cool
             group by lane) as cool on cool.lane = touched.name
     where lane.name = cool.lane
), widened as (
    update queue.lane
       set width = nullif(least(lane.width * 2, lane.slots), lane.slots),
           reason = case when lane.width * 2 < lane.slots or lane.paused_at is not null
                         then lane.reason end
      from touched
     where lane.name = touched.name
       and lane.name in (select lane from held where state = 'done')
       and lane.width is not null
       and lane.open_at <= now()
       and not exists (select from held where held.lane = lane.name and held.cool)
)
select id, state from changed
