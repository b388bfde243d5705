update capture.attempt
   set state = 'accepted',
       engine_ref = %(ref)s,
       accepted_at = now(),
       status = %(status)s,
       headers = %(headers)s,
       body = %(body)s
 where workspace_id = %(workspace_id)s
   and id = %(id)s
