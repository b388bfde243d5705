-- Held by the session, so that a dump and all migrations are one turn.
select pg_try_advisory_lock(%(key)s)
