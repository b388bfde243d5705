"""What other queues broke on, each as a test of ours: `docs/queue.md` tells which story is where.

Where a test has a `naive` half, the same scenario is run with the statement or the rule that those
queues had, and must go wrong with it: else the scenario would prove nothing.
"""
