-- In the order of their names, so that two who make the same brands never wait for each other.
insert into brands.brand (workspace_id, name, folded, aliases, domains)
select %(workspace_id)s, given.name, given.folded, given.aliases, given.domains
  from unnest(%(brands)s::jsonb[]) with ordinality as item (brand, place),
       jsonb_to_record(item.brand)
           as given (name text, folded text, aliases text[], domains text[])
 where not exists (select from brands.brand
                    where brand.workspace_id = %(workspace_id)s
                      and brand.folded = given.folded)
 order by item.place
on conflict (workspace_id, folded) do nothing
