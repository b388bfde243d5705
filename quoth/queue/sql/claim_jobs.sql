-- One statement, so that no job is ever held twice: the lane must be open, each job takes a place
-- in it (a locked row, never a count), the fence goes up. A job whose call is still out has kept
-- its place and goes on in it. Candidates are materialised: a planner that runs the locking scan
-- twice would take more than asked. A suspect (a job whose workers died twice) is only taken when
-- it is asked for, and one at a time over all processes.
with lane as materialized (
    select name, slots, width, per_minute, 0::bigint as ahead
      from queue.lane
     where name = %(lane)s and per_minute is null and open_at <= now() and paused_at is null
     union all
    -- GCRA: `burst` calls may start ahead of a pace that holds `per_minute` in any minute.
    select name, slots, width, per_minute,
           floor(extract(epoch from least(interval '0', now() - arrival_at))
                 * (per_minute - burst + 1) / 60)::bigint + burst as ahead
      from (select name, slots, width, per_minute, greatest(arrival_at, now()) as arrival_at,
                   greatest(1, per_minute / 60) as burst
              from queue.lane
             where name = %(lane)s and per_minute is not null and open_at <= now()
               and paused_at is null
               for update) as rated
), resumed as materialized (
    select id, slot as number
      from queue.job
     where lane = (select name from lane) and state = 'pending' and slot is not null
       and (crashes >= 2) = %(suspects)s
     order by id
     limit %(limit)s
       for update skip locked
), free as materialized (
    select slot.number
      from queue.slot
      join lane on lane.name = slot.lane
     where slot.number < least(lane.slots, lane.width)
       and slot.job_id is null
       and slot.closed_until <= now()
     order by slot.number
     limit %(limit)s
       for update of slot skip locked
), fresh as materialized (
    select id
      from queue.job
     where lane = (select name from lane)
       and state = 'pending'
       and slot is null
       and (crashes >= 2) = %(suspects)s
       and expires_at > now()
     order by turn, id
     limit (select greatest(0, least(
                (select count(*) from free),
                %(limit)s - (select count(*) from resumed),
                case when lane.per_minute is null then %(limit)s else lane.ahead end))
              from lane)
       for update skip locked
), placed as (
    select id, number from resumed
     union all
    select fresh.id, free.number
      from (select id, row_number() over (order by id) as nth from fresh) as fresh
      join (select number, row_number() over (order by number) as nth from free) as free
        using (nth)
), taken as (
    update queue.job
       set state = 'claimed',
           fence = fence + 1,
           tries = tries + 1,
           worker = %(worker)s,
           slot = placed.number,
           claimed_at = now(),
           started_at = null,
           call_until = null
      from placed
     where job.id = placed.id
       -- Says nothing new, but to the planner: by their ids, whatever it thinks of a limit.
       and job.id = any(array(select id from placed))
    returning job.id, job.kind, job.lane, job.payload, job.fence, job.tries, job.max_tries,
              job.crashes, job.deferrals, job.worker, job.slot, job.deadline, job.created_at,
              job.expires_at, job.turn
), occupied as (
    update queue.slot
       set job_id = taken.id
      from taken
     where slot.lane = taken.lane and slot.number = taken.slot
), paced as (
    update queue.lane
       set arrival_at = greatest(lane.arrival_at, now())
                        + (select count(*) from fresh) * interval '1 minute'
                          / (lane.per_minute - greatest(1, lane.per_minute / 60) + 1)
     where name = %(lane)s
       and per_minute is not null
       and exists (select from fresh)
)
select id, kind, lane, payload, fence, tries, max_tries, crashes, deferrals, worker, slot, deadline,
       created_at, expires_at
  from taken
 order by turn, id
