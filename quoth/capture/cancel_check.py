"""Cancel a check: what waits ends at once, what runs is stopped where it runs."""

from dataclasses import dataclass

from quoth.accounts.workspace import Workspace
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.jobs import CAPTURE_ASK
from quoth.capture.outcomes import end_captures
from quoth.queue.cancel import cancel_jobs
from quoth.queue.job import Ended
from quoth.storage import Database, NotFound, Statements

sql = Statements(__package__)

REASON = "cancelled"


@dataclass(frozen=True, slots=True)
class OpenCapture:
    """A capture without an outcome; `job_id` is None where the queue has lost its job."""

    id: int
    job_id: int | None


async def cancel_check(database: Database, workspace: Workspace, check_id: int) -> None:
    """Cancel whatever of the check is not over; nothing happens to what is. Raises `NotFound`."""
    async with database.transaction() as tx:
        if not await tx.values(sql.lock_check, workspace_id=workspace.id, check_id=check_id):
            raise NotFound(f"check {check_id}")
        captures = await tx.all(
            OpenCapture,
            sql.find_open_captures,
            workspace_id=workspace.id,
            check_id=check_id,
            kind=CAPTURE_ASK,
        )
        if not captures:
            return
        await tx.run(sql.mark_cancelled, workspace_id=workspace.id, check_id=check_id)
        jobs = [capture.job_id for capture in captures if capture.job_id is not None]
        over = set(await cancel_jobs(tx, jobs, REASON))
        await end_captures(
            tx,
            [
                Ended(
                    capture.job_id or 0,
                    {"workspace": workspace.id, "capture": capture.id},
                    "cancelled",
                    REASON,
                )
                for capture in captures
                if capture.job_id is None or capture.job_id in over
            ],
        )
        tx.notify(CHECK_CHANGED, str(check_id))
