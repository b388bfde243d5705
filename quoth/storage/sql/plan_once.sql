-- Our statements are few and each has one good plan, which looks things up by an index; to plan it
-- anew for each set of values costs as much as to run it.
select set_config('plan_cache_mode', 'force_generic_plan', false)
