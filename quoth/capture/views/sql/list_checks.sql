-- Counted by engine first, so that a thousand captures cost one pass and no sort.
with listed as materialized (
    select check_run.id, brand.name as brand, check_run.started_at, check_run.cancelled_at
      from capture.check_run
      join brands.brand
        on brand.workspace_id = check_run.workspace_id
       and brand.id = check_run.brand_id
     where check_run.workspace_id = %(workspace_id)s
       and (%(before)s::bigint is null or check_run.id < %(before)s)
     order by check_run.id desc
     limit %(limit)s
), counted as (
    select capture.check_id, capture.engine, count(*) as total, max(capture.sample) as samples,
           count(*) filter (where capture.sample = 1) as prompts,
           count(capture.outcome) as over,
           count(*) filter (where capture.outcome = any(%(answered)s)) as answered,
           count(*) filter (where capture.outcome = any(%(complete)s)) as complete
      from capture.capture
     where capture.workspace_id = %(workspace_id)s
       and capture.check_id in (select id from listed)
     group by capture.check_id, capture.engine
)
select listed.id, listed.brand, listed.started_at, listed.cancelled_at,
       max(counted.prompts) as prompts,
       array_agg(counted.engine order by counted.engine) as engines,
       max(counted.samples) as samples,
       sum(counted.total)::bigint as total,
       sum(counted.over)::bigint as over,
       sum(counted.answered)::bigint as answered,
       sum(counted.complete)::bigint as complete
  from listed
  join counted on counted.check_id = listed.id
 group by listed.id, listed.brand, listed.started_at, listed.cancelled_at
 order by listed.id desc
