"""Take jobs of a lane for a worker: one statement, its own transaction."""

from uuid import UUID

from quoth.queue.job import Job
from quoth.storage import Database, Statements

sql = Statements(__package__)


async def claim_jobs(database: Database, lane: str, *, worker: UUID, limit: int) -> list[Job]:
    """Take up to `limit` pending jobs of `lane`, each with a place in it."""
    async with database.autocommit() as tx:
        return await tx.all(Job, sql.claim_jobs, lane=lane, worker=worker, limit=limit)
