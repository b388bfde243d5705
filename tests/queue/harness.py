"""What the queue's tests share: a lane, some jobs, and a look at a row."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from quoth.queue.claim import claim_jobs
from quoth.queue.enqueue import enqueue
from quoth.queue.job import Ended, Handle, Held, Job, Kind, NewJob, Outcome
from quoth.queue.lanes import ensure_lane
from quoth.queue.worker import Pace, Worker
from quoth.storage import Database, Statement, Transaction

ME = uuid4()
LANE = "chatgpt/simulator"
MINUTE = timedelta(minutes=1)

ROW = Statement(
    b"select state, fence, tries, crashes, deferrals, slot, worker, reason, due_at, now() as now"
    b" from queue.job where id = %(id)s"
)
LOCK = Statement(b"select pg_advisory_lock(4711)")
SLOTS = Statement(b"select number from queue.slot where job_id is not null order by number")


@dataclass(frozen=True, slots=True)
class Row:
    state: str
    fence: int
    tries: int
    crashes: int
    deferrals: int
    slot: int | None
    worker: UUID | None
    reason: str | None
    due_at: datetime
    now: datetime


def new_job(key: str, *, lane: str = LANE, flow: str = "check:1", max_tries: int = 4) -> NewJob:
    return NewJob(
        key=key, payload={"key": key}, lane=lane, flow=flow, deadline=MINUTE, max_tries=max_tries
    )


async def make_lane(
    database: Database, name: str = LANE, *, slots: int = 4, per_minute: int | None = None
) -> None:
    async with database.transaction() as tx:
        await ensure_lane(tx, name, slots=slots, per_minute=per_minute)


async def put(database: Database, *jobs: NewJob, kind: str = "test") -> list[int]:
    async with database.transaction() as tx:
        return await enqueue(tx, kind, jobs)


async def claim(
    database: Database, limit: int = 10, *, lane: str = LANE, worker: UUID = ME
) -> list[Job]:
    return await claim_jobs(database, lane, worker=worker, limit=limit)


async def look(database: Database, job_id: int) -> Row:
    async with database.autocommit() as tx:
        return await tx.one(Row, ROW, id=job_id)


async def occupied(database: Database) -> list[int]:
    async with database.autocommit() as tx:
        numbers: list[int] = await tx.values(SLOTS)
    return numbers


async def run_sql(database: Database, statement: bytes, **values: object) -> int:
    async with database.autocommit() as tx:
        return await tx.run(Statement(statement), **values)


async def nothing(tx: Transaction) -> None:
    """Nothing to save."""


async def unused(held: Held) -> Outcome:
    """For tests that end jobs without working them."""
    raise NotImplementedError


class Endings:
    """Remembers what a kind was told."""

    def __init__(self) -> None:
        self.seen: list[Ended] = []

    async def __call__(self, tx: Transaction, ended: Sequence[Ended]) -> None:
        self.seen.extend(ended)


def kind_of(handle: Handle, ended: Endings | None = None, *, name: str = "test") -> Kind:
    return Kind(name, handle, ended or Endings())


@asynccontextmanager
async def working(
    database: Database,
    *kinds: Kind,
    lanes: Sequence[str] = (LANE,),
    pace: Pace | None = None,
) -> AsyncIterator[Worker]:
    """A worker beside the block; it drains when the block ends."""
    worker = Worker(database, kinds, lanes, version="test", pace=pace)
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(worker.run(stop))
        try:
            yield worker
        finally:
            stop.set()


async def until(
    condition: Callable[[], Awaitable[bool]], *, within: timedelta = timedelta(seconds=15)
) -> None:
    """Wait for something that the test cannot be told of."""
    async with asyncio.timeout(within.total_seconds()):
        while not await condition():  # noqa: ASYNC110 - the database has no event for it
            await asyncio.sleep(0.02)
