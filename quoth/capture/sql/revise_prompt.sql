with edited as (
    update capture.prompt
       set revision = revision + 1,
           text = %(text)s,
           language = %(language)s,
           country = %(country)s,
           digest = %(digest)s
     where workspace_id = %(workspace_id)s
       and id = %(prompt_id)s
       and not exists (select from capture.prompt as other
                        where other.workspace_id = %(workspace_id)s
                          and other.digest = %(digest)s
                          and other.archived_at is null)
    returning id, revision, text, language, country
), kept as (
    insert into capture.prompt_revision
           (workspace_id, prompt_id, revision, text, language, country)
    select %(workspace_id)s, id, revision, text, language, country
      from edited
)
select id, revision, text, language, country
  from edited
