select number, state, model, engine_ref, sent_at, ended_at, error_class, error, usage, cost,
       currency, possibly_paid
  from capture.attempt
 where workspace_id = %(workspace_id)s
   and capture_id = %(capture_id)s
 order by number
