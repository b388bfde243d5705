"""Cancel jobs: those that wait end at once, those that run end through their worker."""

from collections.abc import Sequence

from quoth.queue.channels import JOBS_CANCELLED
from quoth.storage import Statements, Transaction

sql = Statements(__package__)


async def cancel_jobs(tx: Transaction, job_ids: Sequence[int], reason: str) -> list[int]:
    """Return the ids that ended here and now; their kind's `ended` is *not* called for them.

    The caller is their room and writes what that means in the same transaction.
    """
    ended: list[int] = await tx.values(sql.cancel_jobs, ids=list(job_ids), reason=reason)
    tx.notify(JOBS_CANCELLED)
    return ended
