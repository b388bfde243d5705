"""What processes tell each other about captures."""

# The payload is the check's id.
CHECK_CHANGED = "capture_check_changed"
