-- Of the whole server: a notices' queue that fills up, and a snapshot that keeps rows from being
-- cleared away, slow everybody down long before anything fails.
select pg_notification_queue_usage() as notices,
       coalesce(max(extract(epoch from now() - xact_start)) filter (where backend_xmin is not null),
                0)::float8 as oldest_snapshot
  from pg_stat_activity
 where pid <> pg_backend_pid()
