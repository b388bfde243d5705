"""Starts workers as processes, and sees when they start their jobs."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from quoth.queue.job import NewJob
from quoth.storage.addresses import Addresses
from tests.queue.harness import LANE, MINUTE


@dataclass(frozen=True, slots=True)
class Started:
    """A job that a worker process began: its key, and when (seconds since the epoch)."""

    key: str
    at: float


@dataclass(slots=True)
class WorkerProcess:
    """A running `tests.queue.process`."""

    process: asyncio.subprocess.Process
    started: list[Started] = field(default_factory=list)

    async def read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            _, key, at = line.decode().split()
            self.started.append(Started(key, float(at)))

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    async def ended(self) -> int:
        async with asyncio.timeout(30):
            return await self.process.wait()

    async def begun(self, key: str, *, within: timedelta = MINUTE) -> Started:
        """Wait until it starts the job."""
        async with asyncio.timeout(within.total_seconds()):
            while True:
                for each in self.started:
                    if each.key == key:
                        return each
                await asyncio.sleep(0.01)


class WorkerProcesses:
    """Starts them; ends what is left."""

    def __init__(self, addresses: Addresses | str) -> None:
        self._addresses = Addresses.of(addresses) if isinstance(addresses, str) else addresses
        self._all: list[tuple[WorkerProcess, asyncio.Task[None]]] = []

    @property
    def all(self) -> Sequence[WorkerProcess]:
        return [worker for worker, _ in self._all]

    async def start(self, *, pool: int = 8) -> WorkerProcess:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.queue.process", str(pool),
            self._addresses.pooled, self._addresses.direct or "none",
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        worker = WorkerProcess(process)
        self._all.append((worker, asyncio.create_task(worker.read())))
        return worker

    def starts_of(self, key: str) -> list[Started]:
        """Every start of a job in any process, in order."""
        every = [each for worker in self.all for each in worker.started if each.key == key]
        return sorted(every, key=lambda each: each.at)

    async def end(self) -> None:
        for worker, reading in self._all:
            with suppress(ProcessLookupError):
                worker.process.kill()
            await worker.process.wait()
            await reading


@asynccontextmanager
async def worker_processes(addresses: Addresses | str) -> AsyncIterator[WorkerProcesses]:
    """None of them outlives the block."""
    workers = WorkerProcesses(addresses)
    try:
        yield workers
    finally:
        await workers.end()


def job_that(does: str, key: str, **values: Any) -> NewJob:
    """A job for `tests.queue.process`."""
    return NewJob(
        key=key,
        payload={"key": key, "does": does, **values},
        lane=LANE,
        flow="check:1",
        deadline=MINUTE,
    )
