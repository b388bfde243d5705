with late as materialized (
    select id, lane, slot, call_until
      from queue.job
     where state in ('pending', 'waiting')
       and expires_at <= now()
       and kind = any(%(kinds)s)
     order by id
     limit 1000
       for update skip locked
), freed as (
    update queue.slot
       set job_id = null,
           closed_until = coalesce(late.call_until, '-infinity')
      from late
     where slot.lane = late.lane and slot.number = late.slot and slot.job_id = late.id
)
update queue.job
   set state = 'cancelled',
       fence = fence + 1,
       reason = 'its time was over before its turn came',
       slot = null,
       call_until = null,
       ended_at = now()
  from late
 where job.id = late.id
returning job.id, job.kind, job.payload, 'expired' as how, job.reason
