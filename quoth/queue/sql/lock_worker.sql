select pg_try_advisory_lock(%(lock_key)s)
