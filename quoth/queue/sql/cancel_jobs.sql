with asked as materialized (
    select id, lane, slot, state, call_until
      from queue.job
     where id = any(%(ids)s)
       and state in ('pending', 'waiting', 'claimed', 'running')
     order by id
       for update
), ended as (
    update queue.job
       set state = 'cancelled',
           fence = fence + 1,
           reason = %(reason)s,
           slot = null,
           call_until = null,
           ended_at = now()
      from asked
     where job.id = asked.id and asked.state in ('pending', 'waiting')
    returning job.id
), told as (
    update queue.job
       set cancel_asked = true
      from asked
     where job.id = asked.id and asked.state in ('claimed', 'running')
), freed as (
    update queue.slot
       set job_id = null,
           closed_until = coalesce(asked.call_until, '-infinity')
      from asked
     where slot.lane = asked.lane and slot.number = asked.slot and slot.job_id = asked.id
       and asked.state in ('pending', 'waiting')
)
select id from ended
