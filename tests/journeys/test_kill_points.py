"""A worker process is killed at every step between "row written" and "answer saved"."""

import asyncio
import signal

import pytest

from quoth.simulator.serve import serve_simulator
from quoth.storage import Database
from tests.journeys.checks import begin_check
from tests.journeys.dying_worker import STEPS
from tests.journeys.processes import Processes, until_over

pytestmark = pytest.mark.slow

CAPTURES = 3

# Only between sending and keeping the id is a call paid for twice, and each such one is admitted.
# One that is admitted and was not sent: the row cannot know how far the process got after it.
BOUGHT_TWICE = {"sent, reply not read", "id known, not kept", "id written, not committed"}
ADMITTED = {*BOUGHT_TWICE, "attempt committed, not sent"}


@pytest.mark.parametrize("engine", ["chatgpt", "perplexity"])
@pytest.mark.parametrize("step", STEPS)
async def test_killed_at(step: str, engine: str, database: Database, processes: Processes) -> None:
    async with serve_simulator(speed=20) as simulator:
        await begin_check(database, engine, CAPTURES)
        # One at a time: whatever is bought or admitted is this capture's.
        dying = await processes.start(
            step, module="tests.journeys.dying_worker", asking=simulator, QUOTH_POOL="1"
        )
        async with asyncio.timeout(60):
            assert await dying.wait() == -signal.SIGKILL
        await processes.start("work", asking=simulator)
        left = await until_over(database, CAPTURES)
        purchases = len(simulator.world.ledger.purchases)

    assert left.outcomes == ["answered"] * CAPTURES
    assert left.answers == CAPTURES
    assert (purchases - CAPTURES, left.admitted) == (step in BOUGHT_TWICE, step in ADMITTED)
