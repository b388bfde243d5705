"""An engine says 429 to everybody for a while: nobody else pays for it, and nothing is used up."""

import asyncio
from datetime import timedelta
from functools import partial

import pytest

from quoth.providers.registry import SLOTS
from quoth.queue.change import FIRST_DELAY, JITTER
from quoth.simulator.faults import Fault
from quoth.simulator.ledger import Purchase, most_at_once
from quoth.simulator.serve import Simulator, serve_simulator
from quoth.storage import Database, Statement
from tests.journeys.checks import begin_check
from tests.journeys.conftest import compiled, processes  # noqa: F401 - fixtures
from tests.journeys.processes import Processes
from tests.queue.harness import MINUTE, until

pytestmark = pytest.mark.slow

OTHERS = 40
STRUCK = 16
STORM = timedelta(seconds=12)

OPEN = Statement(
    b"select count(*) from queue.job where lane = %(lane)s and state not in ('done', 'failed')"
)
USED = Statement(b"select distinct array[state, tries::text, crashes::text] from queue.job")
DEFERRALS = Statement(b"select sum(deferrals) from queue.job")
REFUSED = Statement(b"select count(*) from capture.attempt where state = 'refused'")
PAID_FOR_NOTHING = Statement(b"select count(*) from capture.attempt where possibly_paid")
NARROW = Statement(b"select name from queue.lane where width is not null or reason is not null")


async def value(database: Database, statement: Statement, **values: object) -> int:
    async with database.autocommit() as tx:
        [found] = await tx.values(statement, **values)
    return int(found)


async def over(database: Database, engine: str) -> bool:
    return await value(database, OPEN, lane=f"{engine}/simulator") == 0


def bought(simulator: Simulator, engine: str) -> list[Purchase]:
    """What one engine has sold, in order."""
    purchases = simulator.world.ledger.purchases.values()
    of_it = [purchase for purchase in purchases if purchase.engine == engine]
    return sorted(of_it, key=lambda purchase: purchase.accepted_at)


async def work_of_the_other(database: Database, simulator: Simulator) -> float:
    """How many seconds the engine that is well takes for its part."""
    before = len(bought(simulator, "perplexity"))
    await begin_check(database, "perplexity", OTHERS)
    await until(partial(over, database, "perplexity"), within=MINUTE)
    sold = bought(simulator, "perplexity")[before:]
    return max(one.ends_at for one in sold) - sold[0].accepted_at


@pytest.mark.parametrize(
    ("after", "soonest"),
    [(2.0, timedelta(seconds=2)), (None, FIRST_DELAY * (1 - JITTER))],
    ids=["Retry-After", "without a word"],
)
async def test_9_a_storm_of_429_costs_the_other_engine_nothing_and_nobody_a_try(
    database: Database,
    processes: Processes,  # noqa: F811 - the fixture
    after: float | None,
    soonest: timedelta,
) -> None:
    """Naive: each 429 is a failed try, each worker finds out for itself, and all come back at once.

    Three processes. While it lasts, what reaches the engine is the calls that were on their way
    when it began, one a place, and then one probe a cool-down.
    """
    async with serve_simulator(speed=30) as simulator:
        for _ in range(3):
            await processes.start("work", asking=simulator)
        calm = await work_of_the_other(database, simulator)

        faults = simulator.world.faults
        faults.add(Fault("429", times=None, after=after, engine="chatgpt"))
        ends = asyncio.get_running_loop().time() + STORM.total_seconds()
        await begin_check(database, "chatgpt", STRUCK)
        stormy = await work_of_the_other(database, simulator)
        await asyncio.sleep(ends - asyncio.get_running_loop().time())
        [(_, refused)] = faults.rules()
        faults.clear()
        await until(partial(over, database, "chatgpt"), within=MINUTE)
        async with database.autocommit() as tx:
            used = await tx.values(USED)
            narrow = await tx.values(NARROW)

    assert stormy < calm * 1.25 + 0.5
    assert 2 <= refused <= SLOTS + STORM / soonest + 1
    assert used == [["done", "1", "0"]]
    assert await value(database, DEFERRALS) == refused
    assert await value(database, REFUSED) == refused
    assert await value(database, PAID_FOR_NOTHING) == 0
    assert narrow == []
    half_open(bought(simulator, "chatgpt"))


def half_open(sold: list[Purchase]) -> None:
    """One probe, alone to its end; then two at once, then as many as there are places."""
    probe, *pair = sold[:3]
    assert len(sold) == STRUCK
    assert pair[0].accepted_at >= probe.ends_at
    assert sold[3].accepted_at >= min(one.ends_at for one in pair)
    assert most_at_once(sold) == SLOTS
