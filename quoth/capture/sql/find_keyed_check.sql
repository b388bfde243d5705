select id, request_digest
  from capture.check_run
 where workspace_id = %(workspace_id)s
   and idempotency_key = %(key)s
