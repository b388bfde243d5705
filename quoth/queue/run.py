"""One try of one job: its handler, which can be stopped, and why it was."""

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
        self._task: asyncio.Task[object] | None = None

    @property
    def can_go_on_elsewhere(self) -> bool:
        """Whether nothing would be lost or paid again if another worker went on from here."""
        return self._hold.attached or not self._hold.started

    def is_stopped(self) -> bool:
        """Whether it is to end."""
        return self._why is not None

    async def outcome(self, handle: Handle) -> Outcome | Release | None:
        """Run the handler to its end, its deadline or `stop`; None when the job was lost.

        It runs in the caller's task, which whoever gives up the whole process may cancel as well.
        """
        if self.is_stopped():
            return self._stopped()
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        timer = loop.call_later(self.job.deadline.total_seconds(), self.stop, "deadline")
        try:
            return await handle(self._hold)
        except asyncio.CancelledError:
            if not self.is_stopped():
                raise
            return self._stopped()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this job's alone
            return self._failed(error)
        finally:
            timer.cancel()
            task, self._task = self._task, None
            if self.is_stopped() and task is not None:
                # The stop has done its work; what follows is not to be cancelled.
                task.uncancel()

    def stop(self, why: Why) -> None:
        """Cancel the handler; the first reason counts."""
        if self._why is not None:
            return
        self._why = why
        self._hold.given_up = why != "drain"
        if self._task is not None:
            self._task.cancel()

    def _failed(self, error: Exception) -> Outcome | Release | None:
        match error:
            case JobLost():
                emit("job.lost", kind=self.job.kind, job=self.job.id)
                return None
            case LaneClosed():
                return Release("its lane closed before the call went out")
            case DatabaseUnavailable() if self.can_go_on_elsewhere:
                return Release("the database was away", keep_place=self._hold.attached)
            case DatabaseUnavailable():
                return Retry("the database was away")
            case _:
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
                raise AssertionError("nobody has stopped it")
