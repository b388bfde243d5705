update capture.attempt
   set state = coalesce(%(end)s, state),
       ended_at = case when %(end)s::text is not null then now() end,
       error_class = %(error_class)s,
       error = %(error)s,
       possibly_paid = possibly_paid or %(possibly_paid)s,
       usage = %(usage)s,
       cost = %(cost)s,
       currency = %(currency)s,
       cost_source = %(cost_source)s,
       status = coalesce(%(status)s, status),
       headers = coalesce(%(headers)s, headers),
       body = coalesce(%(body)s, body)
 where workspace_id = %(workspace_id)s
   and id = %(id)s
