select capture.workspace_id, capture.id, capture.check_id, capture.engine, capture.surface,
       capture.round, capture.outcome, prompt_revision.text, prompt_revision.language,
       prompt_revision.country, check_run.manifest -> 'brands' as brands,
       check_run.manifest -> 'engines' as engines
  from capture.capture
  join capture.check_run
    on check_run.workspace_id = capture.workspace_id
   and check_run.id = capture.check_id
  join capture.prompt_revision
    on prompt_revision.workspace_id = capture.workspace_id
   and prompt_revision.prompt_id = capture.prompt_id
   and prompt_revision.revision = capture.prompt_revision
 where capture.workspace_id = %(workspace_id)s
   and capture.id = %(capture_id)s
