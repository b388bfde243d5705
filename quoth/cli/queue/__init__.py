"""`quoth queue`: what the queue does, and what a person may do with it."""
