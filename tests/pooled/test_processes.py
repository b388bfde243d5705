"""Processes of the product whose only way to the database, or all but one, is a pooler."""

import asyncio
from pathlib import Path

import pytest

from quoth.simulator.serve import serve_simulator
from quoth.storage import Database
from quoth.storage.addresses import Addresses
from tests.journeys.checks import begin_check
from tests.journeys.conftest import compiled  # noqa: F401 - a fixture
from tests.journeys.processes import Processes, until_over

pytestmark = pytest.mark.slow


async def test_a_worker_that_is_killed_behind_a_pooler_loses_and_doubles_nothing(
    database: Database,
    addresses: Addresses,
    compiled: Path,  # noqa: F811 - the fixture
) -> None:
    started = Processes(addresses.pooled, compiled)
    direct = addresses.direct or "none"
    try:
        async with serve_simulator(speed=10) as simulator:
            await begin_check(database, "perplexity", 12)
            killed = await started.start("work", asking=simulator, QUOTH_DATABASE_DIRECT_URL=direct)
            while len(simulator.world.ledger.purchases) < 4:  # noqa: ASYNC110 - the engine's books
                await asyncio.sleep(0.05)
            killed.kill()
            drained = await started.start(
                "work", asking=simulator, QUOTH_DATABASE_DIRECT_URL=direct
            )
            left = await until_over(database, 12)
            drained.terminate()
            assert await drained.wait() == 0
            purchases = len(simulator.world.ledger.purchases)
    finally:
        await started.end()

    assert left.outcomes == ["answered"] * 12
    assert left.answers == 12
    assert 12 <= purchases <= 12 + left.admitted
