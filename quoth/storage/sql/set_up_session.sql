-- Our transactions are short: one that is left open belongs to a process that is frozen or cut off,
-- and its locks keep others waiting.
select set_config('idle_in_transaction_session_timeout', '30s', false)
