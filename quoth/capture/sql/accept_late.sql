-- The id of a call that its job has given up on: bought for certain, so it can be re-attached,
-- unless its capture has an answer by now.
update capture.attempt
   set state = case when answered.yes then 'late' else 'accepted' end,
       ended_at = case when answered.yes then now() end,
       error_class = case when answered.yes then 'late' end,
       error = case when answered.yes then %(late)s end,
       engine_ref = %(ref)s,
       accepted_at = now(),
       possibly_paid = true,
       status = %(status)s,
       headers = %(headers)s,
       body = %(body)s
  from (select exists (select from capture.answer
                        where workspace_id = %(workspace_id)s
                          and capture_id = %(capture_id)s) as yes) as answered
 where attempt.workspace_id = %(workspace_id)s
   and attempt.id = %(id)s
   and attempt.state in ('sending', 'unknown')
