-- compatible-from: 4
set lock_timeout = '5s';

-- Since when a person has stopped the lane; its `reason` is what they said.
alter table queue.lane add column paused_at timestamptz;

-- Jobs whose workers keep dying: few or none, and looked for all the time.
create index job_suspect on queue.job (lane) where state = 'pending' and crashes >= 2;
