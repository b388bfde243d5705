-- In the order of their texts, so that two who make the same prompts never wait for each other.
with added as (
    insert into capture.prompt (workspace_id, text, language, country)
    select %(workspace_id)s, given.text, given.language, given.country
      from unnest(%(texts)s::text[], %(languages)s::text[], %(countries)s::text[])
           as given (text, language, country)
     where not exists (select from capture.prompt
                        where prompt.workspace_id = %(workspace_id)s
                          and prompt.language = given.language
                          and prompt.country = given.country
                          and md5(prompt.text) = md5(given.text)
                          and prompt.archived_at is null)
     order by given.language, given.country, given.text collate "C"
    on conflict (workspace_id, language, country, md5(text)) where archived_at is null do nothing
    returning id, revision, text, language, country
)
insert into capture.prompt_revision
       (workspace_id, prompt_id, revision, text, language, country)
select %(workspace_id)s, id, revision, text, language, country
  from added
