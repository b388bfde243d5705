-- The queue's reason is our own when it came from the last attempt, which then knows its class.
with given as materialized (
    select capture.workspace_id, capture.id, given.how, given.reason
      from unnest(%(workspace_ids)s::bigint[], %(capture_ids)s::bigint[], %(hows)s::text[],
                  %(reasons)s::text[]) as given (workspace_id, capture_id, how, reason)
      join capture.capture
        on capture.workspace_id = given.workspace_id
       and capture.id = given.capture_id
     where capture.outcome is null
     order by capture.workspace_id, capture.id
       for update of capture
), lost as (
    update capture.attempt
       set state = 'unknown',
           possibly_paid = true,
           ended_at = now(),
           error_class = 'outcome_unknown',
           error = %(lost)s
      from given
     where attempt.workspace_id = given.workspace_id
       and attempt.capture_id = given.id
       and attempt.state = 'sending'
), classed as (
    select given.workspace_id, given.id, given.how, given.reason,
           case when last.error = given.reason then last.error_class
                when last.error_class = 'stopped' then 'timeout'
                else 'internal' end as error_class
      from given
      left join lateral (select attempt.error, attempt.error_class
                           from capture.attempt
                          where attempt.workspace_id = given.workspace_id
                            and attempt.capture_id = given.id
                          order by attempt.number desc
                          limit 1) as last on true
)
update capture.capture
   set outcome = case when classed.how <> 'failed' then classed.how
                      when classed.error_class = 'empty' then 'empty'
                      else 'failed' end,
       error_class = case when classed.how = 'failed' then classed.error_class end,
       reason = classed.reason,
       ended_at = now()
  from classed
 where capture.workspace_id = classed.workspace_id
   and capture.id = classed.id
returning capture.check_id
