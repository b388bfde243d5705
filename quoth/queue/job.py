"""A job, what its handler may say became of it, and what a kind of job must provide."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol, TypeVar
from uuid import UUID

from quoth.storage import Transaction

T = TypeVar("T")

Save = Callable[[Transaction], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class NewJob:
    """What a room asks for. `key` makes it one job per kind however often it is enqueued.

    `deadline` is how long one try may take; `expires_after`, how long it may wait for its turn.
    """

    key: str
    payload: dict[str, Any]
    lane: str
    flow: str
    deadline: timedelta
    expires_after: timedelta = timedelta(hours=24)
    max_tries: int = 4


@dataclass(frozen=True, slots=True)
class Job:
    """A job as its worker holds it."""

    id: int
    kind: str
    lane: str
    payload: dict[str, Any]
    fence: int
    tries: int
    max_tries: int
    crashes: int
    deferrals: int
    worker: UUID
    slot: int
    deadline: timedelta
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Done:
    """The work is over; `save` commits together with the job's own end.

    `late` is what is kept instead when the job was taken over meanwhile.
    """

    save: Save
    late: Save | None = None


@dataclass(frozen=True, slots=True)
class Retry:
    """It may succeed later: a try is spent; after the last one the job has failed.

    `after` is how long to wait at least; None leaves it to the backoff. `save` commits with it.
    """

    reason: str
    after: timedelta | None = None
    save: Save | None = None


@dataclass(frozen=True, slots=True)
class Defer:
    """It is not its time: no try is spent. `cool_lane` makes the whole lane wait as long.

    `after` None leaves it to the backoff, which grows with the job's deferrals.
    """

    reason: str
    after: timedelta | None = None
    cool_lane: bool = False
    save: Save | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """It will never succeed: the job has failed."""

    reason: str
    save: Save | None = None


Outcome = Done | Retry | Defer | Discard

EndState = Literal["failed", "cancelled", "expired"]


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that ended other than by `Done`: its kind says what that means for its room.

    The job's state is `failed` or `cancelled`; an expired job is a cancelled one.
    """

    id: int
    payload: dict[str, Any]
    how: EndState
    reason: str


class JobLost(Exception):
    """Another worker owns the job by now: touch nothing."""


class LaneClosed(Exception):
    """The lane is cooling down, so no call may start now; the worker defers the job."""


class Held(Protocol):
    """The handler's hold on its job: how it tells the queue that a call goes out.

    Both commit `save` under the job's fence and raise `JobLost` when the job was taken over.
    """

    @property
    def job(self) -> Job:
        """The job."""
        ...

    @property
    def given_up(self) -> bool:
        """Why the handler is being cancelled: True when the work is no longer wanted.

        False in a drain: another worker goes on with it, so nothing outward may be stopped.
        """
        ...

    async def start(self, save: Callable[[Transaction], Awaitable[T]], *, call: timedelta) -> T:
        """Claimed -> running, called before an outward call that ends within `call`.

        May be called again before a further call. Raises `LaneClosed` in a cool-down or pause.
        `save` may be run again when nobody knows whether its transaction was committed.
        """
        ...

    async def checkpoint(self, save: Callable[[Transaction], Awaitable[T]]) -> T:
        """The open call is accounted for (its id is saved): a takeover re-attaches at once."""
        ...


Handle = Callable[[Held], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of job: how it is worked, and what its room writes when it ends without `Done`.

    `handle` is cancelled (`CancelledError`) when its job is cancelled or past its deadline.
    `ended` runs in the transaction that ends the jobs.
    """

    name: str
    handle: Handle
    ended: Callable[[Transaction, Sequence[Ended]], Awaitable[None]]


async def nothing_to_save(tx: Transaction) -> None:
    """For a job that is over, or a call that is accounted for, with nothing to be written."""
