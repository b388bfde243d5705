"""The jobs of captures: one asks an engine for one capture, in one round of asking it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from quoth.capture.manifest import Lane
from quoth.queue.enqueue import enqueue
from quoth.queue.job import NewJob
from quoth.storage import Statements, Transaction

sql = Statements(__package__)

# The kind of job that asks an engine for one capture.
CAPTURE_ASK = "capture.ask"
EXPIRES_AFTER = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class ToAsk:
    """A capture whose job is to be put in the queue."""

    id: int
    engine: str
    round: int


def job_key(capture_id: int, round: int) -> str:
    """One job a capture and round, however often it is asked for."""
    return f"{capture_id}:{round}"


def capture_of(kind: str, key: str) -> int | None:
    """The capture that a job is to ask for; None where it does something else."""
    return int(key.partition(":")[0]) if kind == CAPTURE_ASK else None


async def enqueue_captures(
    tx: Transaction,
    workspace_id: int,
    check_id: int,
    captures: Iterable[ToAsk],
    lanes: dict[str, Lane],
) -> None:
    """Put a job in the queue for each capture, in the order given.

    Workspaces share a lane equally, and the checks of one workspace share its part.
    """
    [active] = await tx.values(sql.count_active_checks, workspace_id=workspace_id)
    await enqueue(
        tx,
        CAPTURE_ASK,
        [
            NewJob(
                key=job_key(capture.id, capture.round),
                payload={"workspace": workspace_id, "capture": capture.id},
                lane=lanes[capture.engine].name,
                flow=f"check:{check_id}",
                deadline=lanes[capture.engine].deadline,
                expires_after=EXPIRES_AFTER,
            )
            for capture in captures
        ],
        weight=1 / max(1, active),
    )
