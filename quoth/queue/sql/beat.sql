update queue.worker
   set beat_at = now()
 where id = %(id)s
returning true
