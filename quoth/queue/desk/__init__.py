"""What a person sees of the queue and does with it: lanes, workers, jobs that have failed."""
