select brand_id, starts, ends, surface
  from capture.mention
 where workspace_id = %(workspace_id)s
   and capture_id = %(capture_id)s
   and version = (select version
                    from capture.reading
                   where workspace_id = %(workspace_id)s
                     and capture_id = %(capture_id)s
                   order by read_at desc
                   limit 1)
 order by starts, brand_id
