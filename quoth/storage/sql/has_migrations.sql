-- Not to_regclass(): it may answer from a cache that is older than the lock we have just got.
select exists (
           select
             from pg_catalog.pg_class as class
             join pg_catalog.pg_namespace as namespace on namespace.oid = class.relnamespace
            where namespace.nspname = 'storage'
              and class.relname = 'migration'
       )
