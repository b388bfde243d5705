"""`python -m tests.chaos --faults 10000 --seed 1`: the soak, its counts on standard output."""

import argparse
import asyncio
import logging
import sys
from datetime import timedelta
from functools import partial

from tests.chaos.soak import Plan, soak


def main() -> int:
    """Ends with 1 when something was found."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--faults", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--minutes", type=float, default=45)
    given = options.parse_args()
    # An outage would fill the screen.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    tell = partial(print, flush=True)
    plan = Plan(given.seed, given.faults, timedelta(minutes=given.minutes), tell)
    report = asyncio.run(soak(plan))
    for line in report.lines():
        tell(line)
    return 1 if report.breaches else 0


if __name__ == "__main__":
    sys.exit(main())
