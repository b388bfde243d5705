-- Our statements are few and each has one good plan, which looks things up by an index; to plan it
-- anew for each set of values costs as much as to run it. And our transactions are short: one that
-- is left open belongs to a process that is frozen or cut off, and its locks keep others waiting.
select set_config('plan_cache_mode', 'force_generic_plan', false),
       set_config('idle_in_transaction_session_timeout', '30s', false)
