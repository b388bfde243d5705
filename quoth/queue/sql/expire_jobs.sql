-- Found by the three indexes of what is open, so that finished jobs cost nothing however many.
with late as materialized (
    select id
      from queue.job
     where state = 'pending' and slot is null
       and expires_at <= now() and kind = any(%(kinds)s)
     union all
    select id
      from queue.job
     where state = 'pending' and slot is not null
       and expires_at <= now() and kind = any(%(kinds)s)
     union all
    select id
      from queue.job
     where state = 'waiting'
       and expires_at <= now() and kind = any(%(kinds)s)
), taken as materialized (
    select id, lane, slot, call_until
      from queue.job
     where id = any(array(select id from late order by id limit 1000))
       and state in ('pending', 'waiting')
     order by id
       for update skip locked
), freed as (
    update queue.slot
       set job_id = null,
           closed_until = coalesce(taken.call_until, '-infinity')
      from taken
     where slot.lane = taken.lane and slot.number = taken.slot and slot.job_id = taken.id
)
update queue.job
   set state = 'cancelled',
       fence = fence + 1,
       reason = 'its time was over before its turn came',
       slot = null,
       call_until = null,
       ended_at = now()
  from taken
 where job.id = taken.id
returning job.id, job.kind, job.payload, 'expired' as how, job.reason
