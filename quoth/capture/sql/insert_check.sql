insert into capture.check_run
       (workspace_id, brand_id, started_by, for_day, manifest, idempotency_key, request_digest,
        expires_at)
values (%(workspace_id)s, %(brand_id)s, %(started_by)s, (now() at time zone %(time_zone)s)::date,
        %(manifest)s, %(idempotency_key)s, %(request_digest)s, now() + %(expires_after)s::interval)
on conflict (workspace_id, idempotency_key) do nothing
returning id, started_by, for_day, started_at, expires_at, cancelled_at
