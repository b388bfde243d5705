select capture.id, job.id as job_id
  from capture.capture
  left join queue.job
    on job.kind = %(kind)s
   and job.key = capture.id || ':' || capture.round
   and job.state in ('pending', 'waiting', 'claimed', 'running')
 where capture.workspace_id = %(workspace_id)s
   and capture.check_id = %(check_id)s
   and capture.outcome is null
 order by capture.id
