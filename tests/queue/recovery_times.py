"""How soon a job runs again after its process was killed, with the settings of the product.

`python -m tests.queue.recovery_times` measures each case five times and prints the medians.
"""

import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

from quoth.simulator.serve import serve_simulator
from quoth.storage import Database, Statement
from quoth.storage.addresses import Addresses
from quoth.storage.embedded import Options
from quoth.storage.embedded.server import EmbeddedServer
from quoth.storage.migrate import migrate
from tests.journeys.checks import begin_check
from tests.journeys.processes import Processes
from tests.queue.harness import make_lane, put, run_sql, until
from tests.queue.processes import job_that, worker_processes

TIMES = 5
# Who judges by silence has been well itself for two leases.
WELL = timedelta(seconds=12)
LIVED = timedelta(seconds=1)
# Beats come each second: a death may be anywhere between two.
BEAT = timedelta(seconds=1)

CLEAN = (
    b"truncate queue.job, queue.slot, queue.lane, queue.flow, queue.worker cascade",
    b"truncate capture.check_run cascade",
)
BEGUN = Statement(
    b"select count(*) from queue.job where state = 'running'"
    b" and (call_until is null) = (payload ->> 'does' = 'wait')"
)
ACCEPTED = Statement(b"select count(*) from capture.attempt where state = 'accepted'")


async def restarted(database: Database, addresses: Addresses, does: str) -> float:
    """The only worker is killed and another started: from its start to the job's second start."""
    async with worker_processes(addresses) as workers:
        first = await workers.start()
        await _begin(database, does)
        await asyncio.sleep(_within_a_beat(LIVED))
        first.process.kill()
        await first.ended()
        began = time.time()
        second = await workers.start()
        return (await second.begun("a")).at - began


async def taken_over(database: Database, addresses: Addresses, does: str) -> float:
    """One of two workers is killed: from its death to the job's start in the other."""
    async with worker_processes(addresses) as workers:
        first = await workers.start()
        await _begin(database, does)
        second = await workers.start()
        await asyncio.sleep(_within_a_beat(LIVED if addresses.direct else WELL))
        first.process.kill()
        began = time.time()
        return (await second.begun("a")).at - began


async def attached_again(
    database: Database, addresses: Addresses, compiled: Path, *, others: int
) -> float:
    """A `quoth work` that waits for a bought answer is killed: until another asks for that answer.

    Counted from the death where there are `others`, else from the start of the next.
    """
    started = Processes(addresses, compiled)
    await _clean(database)
    try:
        async with serve_simulator(speed=0.01) as simulator:
            first = await started.start("work", asking=simulator)
            await begin_check(database, "chatgpt", 1)
            await until(partial(_one, database, ACCEPTED))
            for _ in range(others):
                await started.start("work", asking=simulator)
            patient = others and addresses.direct is None
            await asyncio.sleep(_within_a_beat(WELL if patient else 2 * LIVED))
            first.kill()
            await first.wait()
            [purchase] = simulator.world.ledger.purchases.values()
            polls = purchase.polls
            began = time.time()
            if not others:
                await started.start("work", asking=simulator)

            async def asked() -> bool:
                return purchase.polls > polls

            await until(asked, within=timedelta(seconds=60))
            return time.time() - began
    finally:
        await started.end()


async def _begin(database: Database, does: str) -> None:
    await _clean(database)
    await make_lane(database)
    await put(database, job_that(does, "a", seconds=60))
    await until(partial(_one, database, BEGUN))


async def _clean(database: Database) -> None:
    for statement in CLEAN:
        await run_sql(database, statement)


async def _one(database: Database, statement: Statement) -> bool:
    async with database.autocommit() as tx:
        return await tx.values(statement) == [1]


def _within_a_beat(after: timedelta) -> float:
    return (after + random.uniform(0, 1) * BEAT).total_seconds()


async def median(measure: Callable[[], Awaitable[float]], times: int = TIMES) -> float:
    """Measure so many times, one after the other."""
    return statistics.median([await measure() for _ in range(times)])


@contextmanager
def _own_server() -> Iterator[tuple[str, Path]]:
    folder = Path(tempfile.mkdtemp(prefix="quoth-"))
    folder.chmod(0o755)
    server = EmbeddedServer(folder / "data", Options(connections=100))
    try:
        server.start()
        yield server.url, folder / "compiled"
    finally:
        server.leave()
        shutil.rmtree(folder)


async def measure_all(url: str, compiled: Path) -> None:
    """Print a line a case."""
    await migrate(url)
    async with Database.open(url) as database:
        for way in (Addresses.of(url), Addresses(url, None)):
            cases = {
                "restarted, answer bought": partial(restarted, database, way, "wait"),
                "taken over, answer bought": partial(taken_over, database, way, "wait"),
                "quoth work restarted": partial(attached_again, database, way, compiled, others=0),
                "quoth work taken over": partial(attached_again, database, way, compiled, others=1),
            }
            if way.direct:
                # Without, the place is kept until the call must have ended by itself.
                cases["restarted, call out"] = partial(restarted, database, way, "sleep")
                cases["taken over, call out"] = partial(taken_over, database, way, "sleep")
            for case, measure in cases.items():
                taken = sorted([await measure() for _ in range(TIMES)])
                every = " ".join(f"{seconds:.2f}" for seconds in taken)
                name = f"{'direct' if way.direct else 'none':8}{case:28}"
                sys.stdout.write(f"{name}{statistics.median(taken):6.2f} s   ({every})\n")


if __name__ == "__main__":
    with _own_server() as (own_url, own_folder):
        asyncio.run(measure_all(own_url, own_folder))
