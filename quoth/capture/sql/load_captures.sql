select capture.id, capture.prompt_id, capture.engine, capture.surface, capture.sample,
       capture.outcome, capture.reason, capture.error_class, capture.ended_at,
       check_run.started_at, answer.took, job.state as job_state, job.reason as job_reason,
       job.tries, job.max_tries, job.due_at, job.claimed_at, job.started_at as running_since
  from capture.check_run
  join capture.capture
    on capture.workspace_id = check_run.workspace_id
   and capture.check_id = check_run.id
  left join capture.answer
    on answer.workspace_id = capture.workspace_id
   and answer.capture_id = capture.id
  left join queue.job
    on job.kind = %(kind)s
   and job.key = capture.id || ':' || capture.round
 where check_run.workspace_id = %(workspace_id)s
   and check_run.id = %(check_id)s
   and (%(capture_id)s::bigint is null or capture.id = %(capture_id)s)
