select id, name, time_zone
  from accounts.workspace
 where name = %(name)s
