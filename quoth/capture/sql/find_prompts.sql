-- One list of keys, which PostgreSQL looks up fast by whichever plan.
select id, revision, text, language, country
  from capture.prompt
 where workspace_id = %(workspace_id)s
   and digest = any(%(digests)s::bytea[])
   and archived_at is null
