-- A lane made narrower keeps its rows: their jobs end there, and `slot.number < lane.slots`
-- is what a claim goes by.
insert into queue.slot (lane, number)
select %(lane)s, number
  from generate_series(0, %(slots)s - 1) as number
on conflict do nothing
