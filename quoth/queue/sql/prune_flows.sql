-- A flow behind its lane's clock has no past that counts. One that a producer has in its hands does.
with clock as materialized (
    select lane.name as lane,
           coalesce((select job.turn
                       from queue.job
                      where job.lane = lane.name and job.state = 'pending' and job.slot is null
                      order by job.turn
                      limit 1),
                    (select max(turn) from queue.flow where flow.lane = lane.name)) as turn
      from queue.lane
), past as materialized (
    select flow.lane, flow.name
      from queue.flow
      join clock using (lane)
     where flow.turn < clock.turn
       for update of flow skip locked
)
delete from queue.flow
 using past
 where flow.lane = past.lane and flow.name = past.name
