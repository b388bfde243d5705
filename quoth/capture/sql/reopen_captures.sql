update capture.capture
   set outcome = null,
       error_class = null,
       reason = null,
       ended_at = null,
       round = round + 1
 where workspace_id = %(workspace_id)s
   and check_id = %(check_id)s
   and outcome in ('failed', 'empty', 'cancelled', 'expired')
   and (%(capture_ids)s::bigint[] is null or id = any(%(capture_ids)s::bigint[]))
returning id, engine, round
