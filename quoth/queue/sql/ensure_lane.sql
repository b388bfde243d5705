insert into queue.lane (name, slots, per_minute)
values (%(name)s, %(slots)s, %(per_minute)s)
on conflict (name) do update
   set slots = excluded.slots,
       per_minute = excluded.per_minute,
       width = least(lane.width, excluded.slots)
 where (lane.slots, lane.per_minute) is distinct from (excluded.slots, excluded.per_minute)
