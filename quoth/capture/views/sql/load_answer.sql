select capture.check_id, capture.prompt_id, capture.engine, check_run.manifest,
       check_run.started_at, answer.text, answer.model, answer.searched, answer.queries, answer.answered_at
  from capture.capture
  join capture.check_run
    on check_run.workspace_id = capture.workspace_id
   and check_run.id = capture.check_id
  left join capture.answer
    on answer.workspace_id = capture.workspace_id
   and answer.capture_id = capture.id
 where capture.workspace_id = %(workspace_id)s
   and capture.id = %(capture_id)s
