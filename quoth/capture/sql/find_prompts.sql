select prompt.id, prompt.revision, prompt.text, prompt.language, prompt.country
  from unnest(%(texts)s::text[], %(languages)s::text[], %(countries)s::text[])
       with ordinality as given (text, language, country, place)
  join capture.prompt
    on prompt.workspace_id = %(workspace_id)s
   and prompt.language = given.language
   and prompt.country = given.country
   and md5(prompt.text) = md5(given.text)
   and prompt.archived_at is null
 order by given.place
