-- Brands in the order in which an answer names them, and the number of sources cited in its text.
with newest as materialized (
    select distinct on (reading.capture_id)
           reading.workspace_id, reading.capture_id, reading.version
      from capture.capture
      join capture.reading
        on reading.workspace_id = capture.workspace_id
       and reading.capture_id = capture.id
     where capture.workspace_id = %(workspace_id)s
       and capture.check_id = %(check_id)s
       and (%(capture_id)s::bigint is null or capture.id = %(capture_id)s)
     order by reading.capture_id, reading.read_at desc
), named as (
    select capture_id, brand_id, count(*) as found, min(starts) as first
      from newest
      join capture.mention using (workspace_id, capture_id, version)
     group by capture_id, brand_id
), cited as (
    select capture_id, count(*) as found
      from newest
      join capture.citation using (workspace_id, capture_id, version)
     where used
     group by capture_id
)
select capture_id, brand_id, found
  from (select capture_id, brand_id, found, first from named
         union all
        select capture_id, null, found, null from cited) as all_found
 order by capture_id, first, brand_id
