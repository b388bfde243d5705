select brand.id, brand.name, brand.folded, brand.aliases, brand.domains, brand.version
  from unnest(%(keys)s::text[]) with ordinality as given (folded, place)
  join brands.brand using (folded)
 where brand.workspace_id = %(workspace_id)s
 order by given.place
