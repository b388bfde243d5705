update brands.brand
   set aliases = brand.aliases || added.aliases,
       domains = brand.domains || added.domains,
       version = brand.version + 1
  from unnest(%(additions)s::jsonb[]) as item (addition),
       jsonb_to_record(item.addition) as added (id bigint, aliases text[], domains text[])
 where brand.workspace_id = %(workspace_id)s
   and brand.id = added.id
