"""One try of one job: its handler in a task that can be stopped, and why it was."""

import asyncio
from typing import Literal

from quoth.observability.events import emit
from quoth.queue.change import Release
from quoth.queue.hold import Hold
from quoth.queue.job import Discard, Handle, Job, JobLost, LaneClosed, Outcome, Retry
from quoth.storage import Database, DatabaseUnavailable

Why = Literal["cancelled", "deadline", "drain"]


class Run:
    """Between the claim and the outcome."""

    def __init__(self, database: Database, job: Job) -> None:
        self.job = job
        self._hold = Hold(database, job)
        self._why: Why | None = None
        self._handling: asyncio.Task[Outcome] | None = None

    @property
    def can_go_on_elsewhere(self) -> bool:
        """Whether nothing would be lost or paid again if another worker went on from here."""
        return self._hold.attached or not self._hold.started

    @property
    def stopped(self) -> bool:
        """Whether it is to end."""
        return self._why is not None

    async def outcome(self, handle: Handle) -> Outcome | Release | None:
        """Run the handler to its end, its deadline or `stop`; None when the job was lost."""
        self._handling = asyncio.ensure_future(handle(self._hold))
        if self._why is not None:
            self._handling.cancel()
        try:
            done, _ = await asyncio.wait(
                {self._handling}, timeout=self.job.deadline.total_seconds()
            )
            if not done:
                self.stop("deadline")
                await asyncio.wait({self._handling})
        finally:
            if not self._handling.done():
                self._handling.cancel()
                await asyncio.wait({self._handling})
        return self._read(self._handling)

    def stop(self, why: Why) -> None:
        """Cancel the handler; the first reason counts."""
        if self._why is not None:
            return
        self._why = why
        self._hold.given_up = why != "drain"
        if self._handling is not None:
            self._handling.cancel()

    def _read(self, handled: asyncio.Task[Outcome]) -> Outcome | Release | None:
        if handled.cancelled():
            return self._stopped()
        match handled.exception():
            case None:
                return handled.result()
            case JobLost():
                emit("job.lost", kind=self.job.kind, job=self.job.id)
                return None
            case LaneClosed():
                return Release("its lane closed before the call went out")
            case DatabaseUnavailable() if self.can_go_on_elsewhere:
                return Release("the database was away", keep_place=self._hold.attached)
            case DatabaseUnavailable():
                return Retry("the database was away")
            case error:
                emit("job.crashed", kind=self.job.kind, job=self.job.id, error=error)
                return Retry(f"unexpected {type(error).__name__}; the log has the details")

    def _stopped(self) -> Outcome | Release:
        match self._why:
            case "drain":
                return Release("its process was shut down", keep_place=self._hold.attached)
            case "deadline":
                return Retry(f"no end within {self.job.deadline}")
            case "cancelled":
                return Discard("cancelled")
            case None:
                return Retry("its handler gave up without a word")
