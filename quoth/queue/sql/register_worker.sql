insert into queue.worker (id, host, pid, version, lanes, lock_key, witnessed)
values (%(id)s, %(host)s, %(pid)s, %(version)s, %(lanes)s, %(lock_key)s, %(witnessed)s)
on conflict (id) do update
   set beat_at = now(),
       witnessed = excluded.witnessed
