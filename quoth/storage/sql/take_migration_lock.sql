-- Held by the transaction: the only kind of lock that a pooler between us lets us keep.
select pg_advisory_xact_lock(%(key)s)
