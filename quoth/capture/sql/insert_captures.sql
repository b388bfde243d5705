-- Ids ascend in the order of the select.
insert into capture.capture
       (workspace_id, check_id, prompt_id, prompt_revision, engine, surface, sample)
select %(workspace_id)s, %(check_id)s, prompt.id, prompt.revision, engine.name, engine.surface,
       sample
  from generate_series(1, %(samples)s::integer) as sample,
       unnest(%(prompt_ids)s::bigint[], %(revisions)s::integer[]) with ordinality
           as prompt (id, revision, place),
       unnest(%(engines)s::text[], %(surfaces)s::text[]) with ordinality
           as engine (name, surface, place)
 order by sample, prompt.place, engine.place
returning id, engine, round
