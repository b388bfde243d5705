"""Look at the queue: always the rows as they are now."""

from quoth.queue.desk.views import MANY, MANY_A_MINUTE, FailedJob, LaneView, Pressure, WorkerView
from quoth.storage import Statements, Transaction

sql = Statements(__package__)


async def load_lanes(tx: Transaction) -> list[LaneView]:
    """Every lane there is, by name."""
    return await tx.all(LaneView, sql.load_lanes, many=MANY, many_a_minute=MANY_A_MINUTE)


async def load_workers(tx: Transaction) -> list[WorkerView]:
    """Every worker that has a row: the living first, then those that went without a word."""
    return await tx.all(WorkerView, sql.load_workers)


async def list_failed(
    tx: Transaction, *, lane: str | None = None, limit: int = 50, before: int | None = None
) -> list[FailedJob]:
    """The newest failed jobs first; `before` a job's id goes on from there."""
    return await tx.all(FailedJob, sql.list_failed, lane=lane, limit=limit, before=before)


async def count_failed(tx: Transaction) -> int:
    """How many jobs have failed and are not pruned yet, up to `MANY`."""
    [count] = await tx.values(sql.count_failed, many=MANY)
    return int(count)


async def load_pressure(tx: Transaction) -> Pressure:
    """What the server says of itself."""
    return await tx.one(Pressure, sql.load_pressure)
