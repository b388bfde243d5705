-- No call goes out for a job that was taken over or cancelled, nor into a lane that cools down or
-- is paused.
update queue.job
   set state = 'running',
       started_at = coalesce(started_at, now()),
       call_until = now() + %(call)s
 where id = %(id)s
   and fence = %(fence)s
   and state in ('claimed', 'running')
   and not cancel_asked
   and (state = 'running'
        or not exists (select from queue.lane
                        where lane.name = job.lane
                          and (lane.open_at > now() or lane.paused_at is not null)))
