"""The queue's own tests again, through PgBouncer in transaction mode."""
