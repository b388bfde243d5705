"""A worker's hold on its job while the handler runs: what goes out is written first."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from quoth.queue.job import Job, JobLost, LaneClosed
from quoth.storage import Database, DatabaseUnavailable, Statements, Transaction

sql = Statements(__package__)

T = TypeVar("T")

RETRY_SAVING = timedelta(milliseconds=200)


class Hold:
    """See `quoth.queue.job.Held`."""

    def __init__(self, database: Database, job: Job) -> None:
        self._database = database
        self._job = job
        self._attached = False
        self.started = False
        self.given_up = False

    @property
    def job(self) -> Job:
        """The job."""
        return self._job

    @property
    def attached(self) -> bool:
        """Whether any other process could go on without a new call: nothing unaccounted is out."""
        return self._attached

    async def start(self, save: Callable[[Transaction], Awaitable[T]], *, call: timedelta) -> T:
        """Claimed -> running; `save` commits with it. One short transaction.

        Goes on trying while the database is away: nothing has gone out, so no try is spent on it.
        """
        # From here on a call may be written down: a drain must see that it is sent or not begun.
        self.started, self._attached = True, False
        while True:
            try:
                return await self._start(save, call)
            except DatabaseUnavailable:
                await asyncio.sleep(RETRY_SAVING.total_seconds())

    async def _start(self, save: Callable[[Transaction], Awaitable[T]], call: timedelta) -> T:
        async with self._database.transaction() as tx:
            started = await tx.run(sql.start_job, id=self._job.id, fence=self._job.fence, call=call)
            if not started:
                if await tx.values(sql.hold_job, id=self._job.id, fence=self._job.fence):
                    raise LaneClosed(self._job.lane)
                raise JobLost(self._job.id)
            return await save(tx)

    async def checkpoint(self, save: Callable[[Transaction], Awaitable[T]]) -> T:
        """Save what a takeover needs to re-attach. Goes on trying while the database is away.

        What is saved here was paid for, so it must not be lost to a restart of the server.
        """
        while True:
            try:
                async with self._database.transaction() as tx:
                    if not await tx.run(sql.checkpoint_job, id=self._job.id, fence=self._job.fence):
                        raise JobLost(self._job.id)
                    saved = await save(tx)
            except DatabaseUnavailable:
                await asyncio.sleep(RETRY_SAVING.total_seconds())
            else:
                self._attached = True
                return saved
