"""Which of a worker's jobs are to stop."""

from uuid import UUID

from quoth.storage import Database, Statements

sql = Statements(__package__)


async def cancelled_jobs(database: Database, worker: UUID) -> list[int]:
    """The ids of the jobs that `worker` runs and somebody has cancelled."""
    async with database.autocommit() as tx:
        ids: list[int] = await tx.values(sql.cancelled_jobs, worker=worker)
    return ids
