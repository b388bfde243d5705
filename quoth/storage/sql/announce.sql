-- Not worth waiting for the disk: a notice that is lost in a crash of the server is made up for.
with at_once as materialized (select set_config('synchronous_commit', 'off', true))
select pg_notify(notice.channel, notice.payload)
  from unnest(%(channels)s::text[], %(payloads)s::text[]) as notice (channel, payload),
       at_once
