with added as (
    insert into capture.prompt (workspace_id, text, language, country, digest)
    select %(workspace_id)s, given.text, given.language, given.country, given.digest
      from unnest(%(texts)s::text[], %(languages)s::text[], %(countries)s::text[],
                  %(digests)s::bytea[]) with ordinality
           as given (text, language, country, digest, place)
     order by given.place
    on conflict (workspace_id, digest) where archived_at is null do nothing
    returning id, revision, text, language, country
)
insert into capture.prompt_revision
       (workspace_id, prompt_id, revision, text, language, country)
select %(workspace_id)s, id, revision, text, language, country
  from added
