-- Whoever resumes a lane knows that the engine answers again: a cool-down ends with the pause.
update queue.lane
   set paused_at = null,
       open_at = '-infinity',
       width = null,
       reason = null
 where name = %(name)s
