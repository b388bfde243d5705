"""What is done with jobs that have failed: have them tried again, or forget them."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quoth.storage import Database, Statements

sql = Statements(__package__)

# What a room does to have a job's work done again, and for how many of these it did.
RetryAgain = Callable[[Database, Sequence[dict[str, Any]]], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed job, as its room needs to know it."""

    id: int
    kind: str
    payload: dict[str, Any]


class NoRetry(Exception):
    """Nobody here knows how jobs of this kind are tried again."""


async def retry_failed(
    database: Database, rooms: Mapping[str, RetryAgain], ids: Sequence[int] | None = None
) -> int:
    """Have the failed jobs with these ids (all for None) tried again; return how many are.

    Its room decides what that means (a capture gets a new round and a new job), and does it once
    however often it is asked. The failed job is forgotten then. Raises `NoRetry`.
    """
    async with database.transaction() as tx:
        found = await tx.all(Failed, sql.find_failed, ids=None if ids is None else list(ids))
    by_kind: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for job in found:
        by_kind[job.kind].append(job.payload)
    if unknown := by_kind.keys() - rooms.keys():
        raise NoRetry(f"nobody here knows how {', '.join(sorted(unknown))} is tried again")
    retried = sum([await rooms[kind](database, payloads) for kind, payloads in by_kind.items()])
    await discard_failed(database, [job.id for job in found])
    return retried


async def discard_failed(database: Database, ids: Sequence[int] | None = None) -> list[int]:
    """Forget the failed jobs with these ids (all for None); return which there were.

    What their rooms wrote of them stays.
    """
    async with database.autocommit() as tx:
        gone: list[int] = await tx.values(
            sql.discard_failed, ids=None if ids is None else list(ids)
        )
    return gone
