-- Start-time fair queueing (Goyal, Vin, Cheng 1996): the k-th job of a flow gets the turn
-- max(the lane's clock, the flow's last turn) + k * step. The clock is the smallest turn that
-- waits; in an idle lane, the greatest that was ever given out.
-- Rows are made in the order of their keys, whatever the order given: two producers of the same
-- jobs never wait for each other in a circle.
with new as materialized (
    select *, row_number() over (partition by lane, flow order by place) as nth
      from rows from (jsonb_to_recordset(%(jobs)s::jsonb)
                          as (key text, payload jsonb, lane text, flow text,
                              deadline double precision, expires_after double precision,
                              max_tries smallint))
           with ordinality
           as given (key, payload, lane, flow, deadline, expires_after, max_tries, place)
), clock as materialized (
    select lane,
           coalesce(
               (select job.turn
                  from queue.job
                 where job.lane = given.lane and job.state = 'pending' and job.slot is null
                 order by job.turn
                 limit 1),
               (select max(flow.turn) from queue.flow where flow.lane = given.lane),
               0) as turn
      from (select distinct lane from new) as given
), flow as materialized (
    select given.lane, given.flow, given.jobs,
           greatest(clock.turn, coalesce(flow.turn, 0)) as turn
      from (select lane, flow, count(*) as jobs from new group by lane, flow) as given
      join clock using (lane)
      left join queue.flow on flow.lane = given.lane and flow.name = given.flow
), moved as (
    insert into queue.flow (lane, name, turn)
    select lane, flow, turn + jobs * %(step)s::bigint
      from flow
     order by lane, flow
    on conflict (lane, name) do update set turn = greatest(flow.turn, excluded.turn)
), added as (
    insert into queue.job (kind, lane, flow, key, payload, turn, max_tries, deadline, expires_at)
    select %(kind)s, new.lane, new.flow, new.key, new.payload,
           flow.turn + new.nth * %(step)s::bigint, new.max_tries,
           make_interval(secs => new.deadline), now() + make_interval(secs => new.expires_after)
      from new
      join flow using (lane, flow)
     order by new.key
    on conflict (kind, key) do nothing
    returning id, key
)
select added.id
  from new
  left join added using (key)
 order by new.place
