-- The answer's reply first, then the newest one that an attempt has kept.
select status, headers, body
  from (select status, headers, body, 0 as place, 0 as number
          from capture.answer
         where workspace_id = %(workspace_id)s
           and capture_id = %(capture_id)s
         union all
        select status, headers, body, 1, number
          from capture.attempt
         where workspace_id = %(workspace_id)s
           and capture_id = %(capture_id)s
           and body is not null) as kept
 order by place, number desc
 limit 1
