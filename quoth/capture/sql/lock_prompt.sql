select id, revision, text, language, country
  from capture.prompt
 where workspace_id = %(workspace_id)s
   and id = %(prompt_id)s
   and archived_at is null
   for no key update
