select id, manifest, started_by, for_day, started_at, expires_at, cancelled_at
  from capture.check_run
 where workspace_id = %(workspace_id)s
   and id = %(check_id)s
