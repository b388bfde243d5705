-- From check to check along the index of open captures, however many captures each has.
with recursive active as (
    select min(check_id) as check_id
      from capture.capture
     where workspace_id = %(workspace_id)s
       and outcome is null
     union all
    select (select min(check_id)
              from capture.capture
             where workspace_id = %(workspace_id)s
               and outcome is null
               and check_id > active.check_id)
      from active
     where active.check_id is not null
)
select count(check_id) from active
