"""The soak in a minute. `make soak FAULTS=10000 SEED=1` is the long one: docs/soak.md."""

import os
import random
import sys
from datetime import timedelta

import pytest

from tests.chaos.soak import Plan, soak

# So that each run is another one, and one that found something can be asked for again.
SEED = int(os.environ.get("SOAK_SEED") or random.randrange(1_000_000))
FAULTS = 10_000
RAGES = timedelta(seconds=30)
# What is drawn of the other strikes in half a minute is a handful or none: these come always.
ALWAYS = ("a connection cut", "engine create reset", "engine poll reset")


@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_whatever_goes_wrong_each_capture_ends_once_and_each_purchase_is_in_the_books() -> (
    None
):
    report = await soak(Plan(SEED, FAULTS, RAGES, lambda line: None))

    sys.stdout.write("\n".join([f"SOAK_SEED={SEED}", *report.lines(), ""]))
    assert not report.breaches
    assert all(report.faults.get(kind) for kind in ALWAYS)
