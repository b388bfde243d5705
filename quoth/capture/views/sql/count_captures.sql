-- Jobs are looked up one by one, and only those of captures that are open: a plan that joins whole
-- tables, made while they were small, would cost the more the longer it is kept.
select capture.outcome, coalesce(job.state, 'pending') as job_state, count(*) as captures,
       max(capture.ended_at) as ended_at
  from capture.capture
  left join lateral (select job.state
                       from queue.job
                      where job.kind = %(kind)s
                        and job.key = capture.id || ':' || capture.round
                      limit 1) as job on capture.outcome is null
 where capture.workspace_id = %(workspace_id)s
   and capture.check_id = %(check_id)s
 group by capture.outcome, coalesce(job.state, 'pending')
