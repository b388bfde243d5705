select attempt.capture_id, attempt.currency, sum(attempt.cost) as cost, count(*) as attempts,
       count(*) filter (where attempt.possibly_paid) as possibly_paid,
       max(attempt.ended_at) as ended_at
  from capture.capture
  join capture.attempt
    on attempt.workspace_id = capture.workspace_id
   and attempt.capture_id = capture.id
 where capture.workspace_id = %(workspace_id)s
   and capture.check_id = %(check_id)s
   and (%(capture_id)s::bigint is null or capture.id = %(capture_id)s)
 group by attempt.capture_id, attempt.currency
