select pg_notify(notice.channel, notice.payload)
  from unnest(%(channels)s::text[], %(payloads)s::text[]) as notice (channel, payload)
