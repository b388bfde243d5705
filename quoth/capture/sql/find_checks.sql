select capture.check_id, array_agg(capture.id order by capture.id) as capture_ids
  from capture.capture
 where capture.workspace_id = %(workspace_id)s
   and capture.id = any(%(capture_ids)s)
 group by capture.check_id
 order by capture.check_id
