"""What a person, a page or a monitor sees of the queue."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

# Counts stop here, so that a look stays a look: a row that no vacuum has seen costs a microsecond.
MANY = 10_000
# As many in a minute are more than any engine answers.
MANY_A_MINUTE = 1_000
# A worker beats each second; after so long a silence it is gone or cut off.
SILENT = timedelta(seconds=10)
# Of why a lane is paused: a sentence, for it stands beside each job that waits.
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class LaneView:
    """A lane now. `pending` and `waiting` stop at `MANY`, `lately` at `MANY_A_MINUTE`.

    `width` is how many places a lane that has cooled down gives for now; `next_since` is since when
    the job whose turn is next has been there; `lately`, how many were worked off (done or failed)
    within a minute.
    """

    name: str
    slots: int
    width: int
    per_minute: int | None
    in_flight: int
    pending: int
    waiting: int
    next_since: datetime | None
    lately: int
    cooling_until: datetime | None
    paused_since: datetime | None
    reason: str | None
    workers: int


@dataclass(frozen=True, slots=True)
class WorkerView:
    """A process that works, or was to; `silent` is how long ago its last beat was."""

    id: UUID
    host: str
    pid: int
    version: str
    lanes: list[str]
    started_at: datetime
    silent: timedelta
    jobs: int

    @property
    def alive(self) -> bool:
        """Whether it beats."""
        return self.silent < SILENT


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that has failed, and why."""

    id: int
    kind: str
    key: str
    lane: str
    reason: str | None
    tries: int
    crashes: int
    ended_at: datetime


@dataclass(frozen=True, slots=True)
class Pressure:
    """What would slow the queue down: how full the server's queue of notices is (0 to 1), and the
    age of the oldest snapshot that any session holds (seconds).
    """

    notices: float
    oldest_snapshot: float
