-- Without an answer the call stays accepted: whoever goes on with the capture collects the same.
update capture.attempt
   set state = case when answered.yes then 'late' else state end,
       ended_at = case when answered.yes then now() end,
       error_class = case when answered.yes then 'late' end,
       error = case when answered.yes then %(late)s end,
       usage = %(usage)s,
       cost = %(cost)s,
       currency = %(currency)s,
       cost_source = %(cost_source)s,
       status = %(status)s,
       headers = %(headers)s,
       body = %(body)s
  from (select exists (select from capture.answer
                        where workspace_id = %(workspace_id)s
                          and capture_id = %(capture_id)s) as yes) as answered
 where attempt.workspace_id = %(workspace_id)s
   and attempt.id = %(id)s
   and attempt.state = 'accepted'
