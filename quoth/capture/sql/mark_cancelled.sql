update capture.check_run
   set cancelled_at = coalesce(cancelled_at, now())
 where workspace_id = %(workspace_id)s
   and id = %(check_id)s
