"""What is shown of checks, captures and answers: read from the rows as they are now."""
