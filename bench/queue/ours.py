"""Our own queue, driven as the product drives it: one lane, all guarantees on."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from bench.queue.bodies import BODIES
from quoth import __version__
from quoth.loops import background
from quoth.queue.channels import JOBS_CANCELLED, JOBS_READY
from quoth.queue.enqueue import enqueue
from quoth.queue.job import Done, Ended, Handle, Held, Kind, NewJob
from quoth.queue.lanes import ensure_lane
from quoth.queue.worker import Pace, Worker
from quoth.storage import Database, Transaction
from quoth.storage.listen import listen
from quoth.storage.migrate import migrate

UNFINISHED = "select exists (select from queue.job where state <> 'done')"
LANE = "bench"
SLOTS = 1000
AT_ONCE = 1000
# As many as `quoth work` opens at most.
CONNECTIONS = 20


async def setup(url: str) -> None:
    await migrate(url)
    async with Database.open(url, connections=1) as database, database.transaction() as tx:
        await ensure_lane(tx, LANE, slots=SLOTS)


class _Producer:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def one(self, body: str, number: int) -> None:
        async with self._database.transaction() as tx:
            await enqueue(tx, body, [_job(number)])

    async def many(self, body: str, count: int) -> None:
        for first in range(0, count, AT_ONCE):
            jobs = [_job(number) for number in range(first, min(first + AT_ONCE, count))]
            async with self._database.transaction() as tx:
                await enqueue(tx, body, jobs)


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    async with Database.open(url) as database:
        yield _Producer(database)


async def work(url: str, concurrency: int) -> None:
    async with (
        Database.open(url, connections=min(concurrency + 4, CONNECTIONS)) as database,
        background(listen(database, [JOBS_READY, JOBS_CANCELLED])),
    ):
        kinds = [Kind(body, _handle(body), _ended) for body in BODIES]
        worker = Worker(database, kinds, [LANE], version=__version__, pace=Pace(pool=concurrency))
        await worker.run(asyncio.Event())


def _job(number: int) -> NewJob:
    return NewJob(
        key=str(number),
        payload={"number": number},
        lane=LANE,
        flow="bench",
        deadline=timedelta(hours=2),
    )


def _handle(body: str) -> Handle:
    run = BODIES[body]

    async def handle(held: Held) -> Done:
        await run(held.job.payload["number"])
        return Done(_nothing_to_save)

    return handle


async def _nothing_to_save(tx: Transaction) -> None:
    """The job's end is all there is."""


async def _ended(tx: Transaction, ended: Sequence[Ended]) -> None:
    """Nobody is told."""
