-- An accepted call is re-attached; else a new one is written down, unless too many of this round
-- were lost. The lock waits for a worker that saves the id of a lost call at this very moment.
-- One that was opened under the same fence is the one to send: it was committed, and whoever opened
-- it did not hear of that.
with open as materialized (
    select id, state, round, engine_ref, coalesce(fence = %(fence)s, false) as ours
      from capture.attempt
     where workspace_id = %(workspace_id)s
       and capture_id = %(capture_id)s
       and state in ('sending', 'accepted')
     order by id
       for update
), lost as (
    update capture.attempt
       set state = 'unknown',
           possibly_paid = true,
           ended_at = now(),
           error_class = 'outcome_unknown',
           error = %(lost)s
      from open
     where attempt.workspace_id = %(workspace_id)s
       and attempt.id = open.id
       and open.state = 'sending'
       and not open.ours
), past as (
    select coalesce(max(number), 0) as number,
           count(*) filter (where state = 'unknown' and round = %(round)s) as unknown,
           count(*) filter (where error_class = 'empty' and round = %(round)s) as empty
      from capture.attempt
     where workspace_id = %(workspace_id)s
       and capture_id = %(capture_id)s
), now_lost as (
    select count(*) as unknown
      from open
     where state = 'sending' and round = %(round)s and not ours
), again as (
    select id from open where state = 'sending' and ours order by id desc limit 1
), attached as (
    select id, engine_ref from open where state = 'accepted' order by id desc limit 1
), added as (
    insert into capture.attempt (workspace_id, capture_id, number, round, model, fence,
                                 call_until)
    select %(workspace_id)s, %(capture_id)s, past.number + 1, %(round)s, %(model)s, %(fence)s,
           now() + %(call)s::interval
      from past, now_lost
     where not exists (select from attached)
       and not exists (select from again)
       and past.unknown + now_lost.unknown <= %(most_unknown)s
    returning id
)
select coalesce((select id from attached), (select id from again),
                (select id from added)) as id,
       (select engine_ref from attached) as ref,
       past.unknown + now_lost.unknown as unknown,
       past.empty
  from past, now_lost
