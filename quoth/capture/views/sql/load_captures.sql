-- One row a capture. Of its answer the newest reading counts. Jobs and answers are looked up one by
-- one: a plan that joins whole tables, made while they were small, would cost the more the longer
-- it is kept.
select capture.id, capture.prompt_id, capture.engine, capture.surface, capture.sample,
       capture.outcome, capture.reason, capture.error_class, capture.ended_at, answer.took,
       job.state as job_state, job.reason as job_reason, job.tries, job.max_tries, job.due_at,
       job.claimed_at, job.started_at as running_since, newest.brand_ids, newest.mentions,
       newest.cited
  from capture.capture
  left join lateral (select *
                       from queue.job
                      where job.kind = %(kind)s
                        and job.key = capture.id || ':' || capture.round
                      limit 1) as job on true
  left join lateral (select answer.workspace_id, answer.capture_id, answer.took
                       from capture.answer
                      where answer.workspace_id = capture.workspace_id
                        and answer.capture_id = capture.id
                      limit 1) as answer on true
  left join lateral (select reading.brand_ids, reading.mentions, reading.cited
                       from capture.reading
                      where reading.workspace_id = answer.workspace_id
                        and reading.capture_id = answer.capture_id
                      order by reading.read_at desc
                      limit 1) as newest on true
 where capture.workspace_id = %(workspace_id)s
   and capture.check_id = %(check_id)s
   and (%(capture_id)s::bigint is null or capture.id = %(capture_id)s)
