-- compatible-from: 4
set lock_timeout = '5s';

-- How many jobs a lane has worked off lately, without a look at those it has worked off before. A
-- job comes into it once, at its end, always at the far edge of its lane.
create index job_worked_off on queue.job (lane, ended_at) where state in ('done', 'failed');
