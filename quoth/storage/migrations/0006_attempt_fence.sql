-- compatible-from: 4
set lock_timeout = '5s';

-- Under which fence of its job the attempt was opened: one that is still `sending` under the very
-- fence that opens again was never sent; its opening had been committed, and the answer was lost.
alter table capture.attempt add column fence bigint;
