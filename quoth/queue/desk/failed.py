"""What is done with jobs that have failed: have them tried again, or forget them."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quoth.storage import Database, Statements, Transaction

sql = Statements(__package__)

# What a room does to have a job's work done again, and for how many of these it did.
RetryAgain = Callable[[Database, Sequence[dict[str, Any]]], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Which:
    """Which failed jobs are meant: these ids (None: all), in this lane (None: in any)."""

    ids: Sequence[int] | None = None
    lane: str | None = None


@dataclass(frozen=True, slots=True)
class Retried:
    """Which failed jobs there were, and for how many their work is done again."""

    jobs: list[int]
    again: int


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed job, as its room needs to know it."""

    id: int
    kind: str
    payload: dict[str, Any]


class NoRetry(Exception):
    """Nobody here knows how jobs of this kind are tried again."""


async def retry_failed(
    database: Database, rooms: Mapping[str, RetryAgain], which: Which
) -> Retried:
    """Have failed jobs tried again, and forget them.

    Its room decides what that means (a capture gets a new round and a new job), and does it once
    however often it is asked: so nothing is held from here to there, and a process that dies on the
    way leaves jobs in the list, no more. Raises `NoRetry` before anything is done.
    """
    async with database.autocommit() as tx:
        found = await tx.all(Failed, sql.find_failed, ids=_ids(which), lane=which.lane)
    by_kind: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for job in found:
        by_kind[job.kind].append(job.payload)
    if unknown := by_kind.keys() - rooms.keys():
        raise NoRetry(f"nobody here knows how {', '.join(sorted(unknown))} is tried again")
    again = sum([await rooms[kind](database, payloads) for kind, payloads in by_kind.items()])
    jobs = [job.id for job in found]
    await discard_failed(database, Which(jobs))
    return Retried(jobs, again)


async def discard_failed(database: Database, which: Which) -> list[int]:
    """Forget failed jobs; return which there were. What their rooms wrote of them stays."""
    async with database.autocommit() as tx:
        gone: list[int] = await tx.values(sql.discard_failed, ids=_ids(which), lane=which.lane)
    return gone


async def forget_failed(tx: Transaction, kind: str, keys: Sequence[str]) -> None:
    """Forget those of these jobs that have failed: their room has put others in their place."""
    await tx.run(sql.forget_failed, kind=kind, keys=list(keys))


def _ids(which: Which) -> list[int] | None:
    return None if which.ids is None else list(which.ids)
