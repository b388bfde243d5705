import asyncio
import json
import random
import signal

import pytest

from quoth.simulator.serve import Simulator, serve_simulator
from quoth.storage import Database
from tests.journeys.processes import Processes, look, until_over

pytestmark = pytest.mark.slow

PROMPTS = tuple(f"Какой банк лучше для ИП, вариант {number}?" for number in range(1, 9))
CHECK = (
    "check", *PROMPTS, "--brand", "Точка", "--competitor", "Сбербанк",
    "--engine", "chatgpt", "--engine", "perplexity",
)  # fmt: skip


async def start_a_check_and_leave(
    database: Database, processes: Processes, simulator: Simulator
) -> None:
    """Ctrl-C as soon as the check is in the database."""
    check = await processes.start(*CHECK, "--idempotency-key", "one", asking=simulator)
    async with asyncio.timeout(60):
        while not (await look(database)).outcomes:  # noqa: ASYNC110 - the row is all there is
            await asyncio.sleep(0.05)
    check.send_signal(signal.SIGINT)
    assert await check.wait() == 130


async def test_workers_that_are_killed_again_and_again_lose_and_double_nothing(
    database: Database, processes: Processes
) -> None:
    chance = random.Random(2)
    async with serve_simulator(speed=10) as simulator:
        await start_a_check_and_leave(database, processes, simulator)
        for _ in range(2):
            worker = await processes.start("work", asking=simulator)
            await asyncio.sleep(chance.uniform(2.0, 3.0))
            worker.kill()
            await worker.wait()
        worker = await processes.start("work", asking=simulator)
        left = await until_over(database, 16)
        worker.terminate()
        await worker.wait()
        purchases = len(simulator.world.ledger.purchases)

    assert left.outcomes == ["answered"] * 16
    assert left.answers == 16
    # Dying between the row and the call admits what was never bought, never the reverse.
    assert 16 <= purchases <= 16 + left.admitted


async def test_a_rolling_restart_loses_nothing_doubles_nothing_and_steals_nothing(
    database: Database, processes: Processes
) -> None:
    async with serve_simulator(speed=10) as simulator:
        old = await processes.start("serve", asking=simulator)
        await start_a_check_and_leave(database, processes, simulator)
        new = await processes.start("serve", asking=simulator)
        await asyncio.sleep(2.5)
        old.terminate()
        assert await old.wait() == 0
        left = await until_over(database, 16)
        new.terminate()
        assert await new.wait() == 0
        purchases = len(simulator.world.ledger.purchases)

    assert left.outcomes == ["answered"] * 16
    assert (left.answers, left.admitted, left.crashes) == (16, 0, 0)
    assert purchases == 16


async def test_a_check_that_was_left_is_shown_to_its_end(
    database: Database, processes: Processes
) -> None:
    async with serve_simulator(speed=20) as simulator:
        await start_a_check_and_leave(database, processes, simulator)
        resumed = await processes.start("check", "--resume", "1", "--json", asking=simulator)
        printed, _ = await resumed.communicate()

    document = json.loads(printed)
    assert resumed.returncode == 0
    assert document["state"] == "complete"
    assert len(document["captures"]) == 16
