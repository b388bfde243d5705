-- Whoever cancels or retries the check waits here for whoever does so now.
select manifest
  from capture.check_run
 where workspace_id = %(workspace_id)s
   and id = %(check_id)s
   for no key update
