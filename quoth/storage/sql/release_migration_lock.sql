select pg_advisory_unlock(%(key)s)
