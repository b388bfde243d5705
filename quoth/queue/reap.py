"""What every worker does for all of them: take back lost jobs, give turns, expire, prune."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from quoth.observability.events import emit
from quoth.queue.channels import JOBS_READY
from quoth.queue.job import Ended, EndState, Kind
from quoth.storage import Database, Statements, Transaction

sql = Statements(__package__)

# A missed beat (they come each second) with the session lock gone is a death.
MISSED = timedelta(seconds=1.5)
LEASE = timedelta(seconds=5)
# A job with as many deaths behind it is worked on alone; with one more there it has failed. The
# statements have the first number as it is: an index goes by it.
SUSPECT = 2
CRASH_CAP = 3
# How far past its deadline a job may be under a living worker, which ends it itself.
OVERDUE = timedelta(seconds=60)
# Jobs whose call died with their worker come back spread out.
SPREAD = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Taken:
    """A job that left a worker's or the queue's hands; `how` is the state it has now."""

    id: int
    kind: str
    payload: dict[str, Any]
    how: str
    reason: str


async def reap(
    database: Database, kinds: Mapping[str, Kind], *, worker: UUID, patient: bool
) -> int:
    """Take back the jobs of dead workers; return how many. See `sql/reap_jobs.sql` for the rules.

    `patient` says that the caller's own beats have been good for two leases, so that after an
    outage of the database the living can beat before anybody judges them.
    """
    async with database.transaction() as tx:
        taken = await tx.all(
            Taken,
            sql.reap_jobs,
            worker=worker,
            kinds=list(kinds),
            patient=patient,
            missed=MISSED,
            lease=LEASE,
            crash_cap=CRASH_CAP,
            overdue=OVERDUE,
            spread=SPREAD,
        )
        await _tell_kinds(tx, kinds, taken)
        if taken:
            tx.notify(JOBS_READY)
    for job in taken:
        emit("job.reaped", job=job.id, kind=job.kind, state=job.how)
    return len(taken)


async def expire(database: Database, kinds: Mapping[str, Kind]) -> int:
    """Cancel what waited longer than it may."""
    async with database.transaction() as tx:
        taken = await tx.all(Taken, sql.expire_jobs, kinds=list(kinds))
        await _tell_kinds(tx, kinds, taken)
    return len(taken)


async def promote(database: Database) -> int:
    """Give a turn to every waiting job that is due; return how many there were."""
    async with database.autocommit() as tx:
        promoted = await tx.run(sql.promote_jobs)
        if promoted:
            tx.notify(JOBS_READY)
    return promoted


async def prune(database: Database, *, keep: timedelta) -> int:
    """Delete finished jobs older than `keep` in small batches; what rooms keep is history."""
    pruned = 0
    while True:
        async with database.autocommit() as tx:
            batch = await tx.run(sql.prune_jobs, keep=keep)
        pruned += batch
        if batch == 0:
            break
    async with database.autocommit() as tx:
        await tx.run(sql.prune_flows)
        await tx.run(sql.bury_workers, lease=LEASE)
    return pruned


_ENDS: Mapping[str, EndState] = {
    "failed": "failed",
    "cancelled": "cancelled",
    "expired": "expired",
}


async def _tell_kinds(tx: Transaction, kinds: Mapping[str, Kind], taken: list[Taken]) -> None:
    ended: defaultdict[str, list[Ended]] = defaultdict(list)
    for job in taken:
        if how := _ENDS.get(job.how):
            ended[job.kind].append(Ended(job.id, job.payload, how, job.reason))
    for kind, jobs in ended.items():
        await kinds[kind].ended(tx, jobs)
