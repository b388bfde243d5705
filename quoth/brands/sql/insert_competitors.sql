insert into brands.competitor (workspace_id, brand_id, competitor_id)
select %(workspace_id)s, %(brand_id)s, competitor_id
  from unnest(%(competitor_ids)s::bigint[]) as competitor_id
on conflict do nothing
