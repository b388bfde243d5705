"""End jobs: what their handlers save and the jobs' new states, several jobs a commit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quoth.queue.change import Change
from quoth.queue.channels import JOBS_READY
from quoth.queue.job import Ended, Kind
from quoth.storage import Database, Jsonb, Statements, Transaction

sql = Statements(__package__)


@dataclass(frozen=True, slots=True)
class Changed:
    """A job that was still ours, and the state it has now."""

    id: int
    state: str


async def finish(
    database: Database, kinds: Mapping[str, Kind], changes: Sequence[Change]
) -> set[int]:
    """Commit the changes together; return the ids of the jobs that were lost to another worker.

    Whatever a handler saves commits with its job's end or not at all. A lost job is not touched.
    """
    async with database.transaction() as tx:
        changed = await _change(tx, changes)
        for change in changes:
            if change.job.id in changed and change.save is not None:
                await change.save(tx)
        await _tell_kinds(tx, kinds, changes, changed)
        if any(state == "pending" for state in changed.values()):
            tx.notify(JOBS_READY)
    return {change.job.id for change in changes} - changed.keys()


async def save_late(database: Database, change: Change) -> None:
    """Keep what a lost job brought where its kind keeps such things."""
    if change.late is not None:
        async with database.transaction() as tx:
            await change.late(tx)


async def _change(tx: Transaction, changes: Sequence[Change]) -> dict[int, str]:
    rows = await tx.all(
        Changed,
        sql.change_jobs,
        changes=Jsonb(
            [
                {
                    "id": change.job.id,
                    "fence": change.job.fence,
                    "state": change.state,
                    "delay": change.delay.total_seconds(),
                    "reason": change.reason,
                    "refund": change.refund,
                    "deferral": change.deferral,
                    "keep": change.keep,
                    "cool": change.cool,
                }
                for change in changes
            ]
        ),
    )
    return {row.id: row.state for row in rows}


async def _tell_kinds(
    tx: Transaction,
    kinds: Mapping[str, Kind],
    changes: Sequence[Change],
    changed: Mapping[int, str],
) -> None:
    for kind in kinds.values():
        ended = [
            Ended(
                change.job.id,
                change.job.payload,
                "failed" if changed[change.job.id] == "failed" else "cancelled",
                change.reason or "",
            )
            for change in changes
            if change.job.kind == kind.name
            and changed.get(change.job.id) in ("failed", "cancelled")
        ]
        if ended:
            await kind.ended(tx, ended)
