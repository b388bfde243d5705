select id
  from brands.brand
 where workspace_id = %(workspace_id)s
   and folded = any(%(keys)s)
 order by id
   for no key update
