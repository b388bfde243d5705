-- Sums never mix currencies.
select sum(attempt.cost) as amount, attempt.currency
  from capture.capture
  join capture.attempt
    on attempt.workspace_id = capture.workspace_id
   and attempt.capture_id = capture.id
 where capture.workspace_id = %(workspace_id)s
   and capture.check_id = %(check_id)s
   and attempt.cost is not null
   and attempt.currency is not null
 group by attempt.currency
 order by attempt.currency
