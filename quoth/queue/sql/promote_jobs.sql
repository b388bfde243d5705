-- A waiting job gets its turn when it is due: not before anyone who waits longer than its flow.
with due as materialized (
    select id, lane
      from queue.job
     where state = 'waiting' and due_at <= now()
     order by due_at
     limit 1000
       for update skip locked
), clock as materialized (
    select given.lane,
           coalesce((select job.turn
                       from queue.job
                      where job.lane = given.lane and job.state = 'pending' and job.slot is null
                      order by job.turn
                      limit 1), 0) as turn
      from (select distinct lane from due) as given
)
update queue.job
   set state = 'pending',
       turn = greatest(job.turn, clock.turn)
  from due
  join clock using (lane)
 where job.id = due.id
