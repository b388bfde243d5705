"""One committer a process: while a commit is on its way, what ends meanwhile makes up the next."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

from quoth.observability.events import emit, emit_failure
from quoth.queue.change import Change
from quoth.queue.finish import finish, save_late
from quoth.queue.job import Kind
from quoth.storage import Database, DatabaseUnavailable

MOST_AT_ONCE = 200
RETRY = timedelta(milliseconds=300)

Waiting = tuple[Change, asyncio.Future[None]]


class Finisher:
    """Ends jobs in batches without adding a delay; goes on trying while the database is away."""

    def __init__(self, database: Database, kinds: Mapping[str, Kind]) -> None:
        self._database = database
        self._kinds = kinds
        self._waiting: asyncio.Queue[Waiting] = asyncio.Queue()

    async def finish(self, change: Change) -> None:
        """Return once the change is committed, or known to be another worker's business.

        Raises what the change's `save` raised, when that is why it cannot be committed.
        """
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((change, ended))
        await ended

    async def run(self) -> None:
        """Commit until cancelled."""
        while True:
            batch = [await self._waiting.get()]
            while not self._waiting.empty() and len(batch) < MOST_AT_ONCE:
                batch.append(self._waiting.get_nowait())
            batch.sort(key=lambda waiting: waiting[0].job.id)
            await self._commit(batch)

    async def _commit(self, batch: list[Waiting]) -> None:
        while True:
            try:
                lost = await finish(self._database, self._kinds, [change for change, _ in batch])
            except DatabaseUnavailable as error:
                emit_failure("queue.finish", error)
                await asyncio.sleep(RETRY.total_seconds())
            except Exception as error:  # noqa: BLE001 - one save is wrong: find it, save the rest
                if len(batch) > 1:
                    for one in batch:
                        await self._commit([one])
                else:
                    _end(batch[0][1], error)
                return
            else:
                for change, ended in batch:
                    if change.job.id in lost:
                        await self._keep_late(change)
                    _end(ended)
                return

    async def _keep_late(self, change: Change) -> None:
        emit("job.lost", kind=change.job.kind, job=change.job.id)
        try:
            await save_late(self._database, change)
        except Exception as error:  # noqa: BLE001 - the job is another's: nothing left to undo
            emit_failure("queue.save_late", error)


def _end(ended: asyncio.Future[None], error: Exception | None = None) -> None:
    if ended.done():
        return
    if error is None:
        ended.set_result(None)
    else:
        ended.set_exception(error)
