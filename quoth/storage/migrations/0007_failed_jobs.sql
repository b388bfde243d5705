-- compatible-from: 4
set lock_timeout = '5s';

-- Few among millions, and what a person looks for.
create index job_failed on queue.job (id) where state = 'failed';
