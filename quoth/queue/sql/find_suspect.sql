-- One at a time over all processes: a process that works on a suspect does nothing else.
select lane
  from queue.job
 where lane = any(%(lanes)s)
   and state = 'pending'
   and crashes >= 2
   and not exists (select from queue.job as held
                    where held.state in ('claimed', 'running')
                      and held.worker is not null
                      and held.crashes >= 2)
 order by id
 limit 1
