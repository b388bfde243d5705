"""Take jobs of a lane for a worker: one statement, its own transaction."""

from collections.abc import Sequence
from uuid import UUID

from quoth.queue.job import Job
from quoth.storage import Database, Statements

sql = Statements(__package__)


async def claim_jobs(
    database: Database, lane: str, *, worker: UUID, limit: int, suspects: bool = False
) -> list[Job]:
    """Take up to `limit` pending jobs of `lane`, each with a place in it.

    `suspects` takes those whose workers died twice in place of all others.
    """
    async with database.autocommit() as tx:
        return await tx.all(
            Job, sql.claim_jobs, lane=lane, worker=worker, limit=limit, suspects=suspects
        )


async def claim_suspect(database: Database, lanes: Sequence[str], *, worker: UUID) -> list[Job]:
    """Take one suspect of `lanes`, unless any process has one in its hands; at most one."""
    async with database.autocommit() as tx:
        found = await tx.values(sql.find_suspect, lanes=list(lanes))
    if not found:
        return []
    return await claim_jobs(database, found[0], worker=worker, limit=1, suspects=True)
