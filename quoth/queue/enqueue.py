"""Put jobs in the queue, inside the caller's transaction."""

from collections.abc import Sequence

from quoth.queue.channels import JOBS_READY
from quoth.queue.job import NewJob
from quoth.storage import Jsonb, Statements, Transaction

sql = Statements(__package__)

# A turn of a flow with weight 1; finer than any weight in use.
STEP = 1000


async def enqueue(
    tx: Transaction, kind: str, jobs: Sequence[NewJob], *, weight: float = 1.0
) -> list[int]:
    """Return the jobs' ids, in order. A key that is there already gives the job it has.

    The jobs exist, and workers hear of them, only once `tx` commits. A flow of weight 2 gets twice
    the turns of a flow of weight 1 in the same lane.
    """
    if not jobs:
        return []
    ids = await tx.values(
        sql.enqueue_jobs, kind=kind, jobs=_rows(jobs), step=max(1, round(STEP / weight))
    )
    tx.notify(JOBS_READY)
    if None in ids:
        return await tx.values(sql.find_jobs, kind=kind, keys=[job.key for job in jobs])
    return ids


def _rows(jobs: Sequence[NewJob]) -> Jsonb:
    # One document: as arrays of a thousand elements the parameters cost more than the statement.
    return Jsonb(
        [
            {
                "key": job.key,
                "payload": job.payload,
                "lane": job.lane,
                "flow": job.flow,
                "deadline": job.deadline.total_seconds(),
                "expires_after": job.expires_after.total_seconds(),
                "max_tries": job.max_tries,
            }
            for job in jobs
        ]
    )
