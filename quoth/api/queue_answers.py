"""What programs are sent of the queue: its lanes, workers and failed jobs as JSON."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field

from quoth.api.answers import Answer, Seconds
from quoth.queue.desk.views import MANY, MANY_A_MINUTE, FailedJob

Counted = Annotated[int, Field(description=f"Counted up to {MANY:,}.")]


class LaneOut(Answer):
    """A lane now: the channel of the whole fleet to one engine by one route."""

    name: str
    slots: Annotated[int, Field(description="Calls that may be out at once.")]
    width: Annotated[int, Field(description="Places given for now, after a cool-down.")]
    per_minute: int | None
    in_flight: Annotated[int, Field(description="Places taken.")]
    pending: Counted
    waiting: Counted
    next_since: Annotated[
        datetime | None, Field(description="Since when the job whose turn is next has been due.")
    ]
    lately: Annotated[
        int,
        Field(description=f"Done or failed within a minute, counted up to {MANY_A_MINUTE:,}."),
    ]
    cooling_until: datetime | None
    paused_since: datetime | None
    reason: Annotated[str | None, Field(description="Why it is paused or cools down.")]
    workers: Annotated[int, Field(description="Living workers that serve it.")]


class WorkerOut(Answer):
    """A process that works, or was to; `silent` is how long ago its last beat was."""

    id: UUID
    host: str
    pid: int
    version: str
    lanes: list[str]
    started_at: datetime
    silent: Seconds
    alive: bool
    jobs: Annotated[int, Field(description="Jobs in hand.")]


class QueueOut(Answer):
    """Lanes by name, workers with the last to beat first, and how many jobs have failed."""

    lanes: list[LaneOut]
    workers: list[WorkerOut]
    failed: Counted


class FailedJobOut(Answer):
    """A job that has failed, and why."""

    id: int
    kind: str
    key: str
    lane: str
    reason: str | None
    tries: int
    crashes: Annotated[int, Field(description="How often its worker died of or beside it.")]
    ended_at: datetime


class FailedJobsOut(Answer):
    """The newest failed jobs first; `next` is the cursor of the older ones, or null."""

    jobs: list[FailedJobOut]
    next: str | None

    @classmethod
    def of(cls, jobs: list[FailedJob], limit: int) -> Self:
        """A page of at most `limit`; `jobs` has one more where there are older ones."""
        page = jobs[:limit]
        return cls(
            jobs=[FailedJobOut.model_validate(job) for job in page],
            next=str(page[-1].id) if len(jobs) > limit else None,
        )
