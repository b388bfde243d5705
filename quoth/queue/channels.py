"""What processes tell each other about the queue."""

JOBS_READY = "queue_jobs_ready"
JOBS_CANCELLED = "queue_jobs_cancelled"
