-- A flow behind its lane's clock has no past that counts.
delete from queue.flow
 using (select lane.name as lane,
               coalesce((select job.turn
                           from queue.job
                          where job.lane = lane.name and job.state = 'pending' and job.slot is null
                          order by job.turn
                          limit 1),
                        (select max(turn) from queue.flow where flow.lane = lane.name)) as turn
          from queue.lane) as clock
 where flow.lane = clock.lane and flow.turn < clock.turn
