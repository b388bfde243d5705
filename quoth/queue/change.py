"""What an outcome does to its job: pure, one case each."""

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, assert_never

from quoth.queue.job import Defer, Discard, Done, Job, Outcome, Retry, Save

NOW = timedelta(0)
FIRST_DELAY = timedelta(seconds=5)
LONGEST_DELAY = timedelta(minutes=10)
JITTER = 0.3


@dataclass(frozen=True, slots=True)
class Release:
    """Given back unfinished, its try refunded: a drain, or a lane that closed before the call.

    `keep_place`: its call goes on at the engine, so it keeps its place in the lane.
    """

    reason: str
    keep_place: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A job's way out of its worker's hands, and what commits with it (`late`: what if lost)."""

    job: Job
    state: Literal["pending", "waiting", "done", "failed", "cancelled"]
    reason: str | None = None
    delay: timedelta = NOW
    refund: bool = False
    deferral: bool = False
    keep: bool = False
    cool: bool = False
    save: Save | None = None
    late: Save | None = None


def change_of(job: Job, outcome: Outcome | Release) -> Change:
    """Every outcome has its case; a new one fails type checking here."""
    match outcome:
        case Done(save, late):
            return Change(job, "done", save=save, late=late)
        case Retry(reason, after, save) if job.tries < job.max_tries:
            delay = max(after or NOW, backoff(job.tries))
            return Change(job, "waiting", reason, delay, save=save)
        case Retry(reason, _, save) | Discard(reason, save):
            return Change(job, "failed", reason, save=save)
        case Defer(reason, after, cool, save):
            delay = backoff(job.deferrals + 1) if after is None else after
            return Change(
                job, "waiting", reason, delay, refund=True, deferral=True, cool=cool, save=save
            )
        case Release(reason, keep_place):
            return Change(job, "pending", reason, refund=True, keep=keep_place)
        case _:
            assert_never(outcome)


def backoff(nth: int) -> timedelta:
    """5 s, 10 s, 20 s ... at most 10 min, each 30 % shorter or longer at random."""
    delay = min(FIRST_DELAY * (1 << min(nth - 1, 20)), LONGEST_DELAY)
    return delay * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311
