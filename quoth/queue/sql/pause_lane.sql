update queue.lane
   set paused_at = coalesce(paused_at, now()),
       reason = %(reason)s
 where name = %(name)s
