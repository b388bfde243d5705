update capture.check_run
   set cancelled_at = null,
       expires_at = greatest(expires_at, now() + %(expires_after)s::interval)
 where workspace_id = %(workspace_id)s
   and id = %(check_id)s
