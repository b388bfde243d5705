"""The workers: processes that are started again whenever they end, and none that stays."""

import asyncio
import os
import re
import signal
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from quoth.loops import background

# From listening to SIGTERM on until it has jobs in its hands.
AT_WORK_AFTER = 2.0
AGAIN_AFTER = 0.2
END_WITHIN = 30.0
# What a process says that found no database when it started: whoever runs it starts it again.
NO_DATABASE = "The database does not answer"
SHIFTS = ("-10m", "+10m", "+3h", "-1d")
LIBRARIES = "/usr/lib"


@dataclass(eq=False, slots=True)
class Worker:
    """One place in the fleet and the process that has it now. `taken`: a fault is at it."""

    number: int
    process: Process
    log: Path
    began: float | None = None
    taken: bool = False
    told: signal.Signals | None = None

    @property
    def strikable(self) -> bool:
        """Whether it is at work and nothing is being done to it."""
        if self.taken or self.told is not None or self.process.returncode is not None:
            return False
        if self.began is None and listens_to_term(self.process.pid):
            self.began = time.monotonic()
        return self.began is not None and time.monotonic() - self.began > AT_WORK_AFTER

    def tell(self, number: signal.Signals) -> None:
        """Send a signal; the process may be gone."""
        if number in (signal.SIGKILL, signal.SIGTERM):
            self.told = number
        with suppress(ProcessLookupError):
            self.process.send_signal(number)


class Fleet:
    """`size` workers, of which the last one's clock is wrong where libfaketime is installed."""

    def __init__(self, settings: Mapping[str, str], folder: Path, size: int, luck: Random) -> None:
        self.workers: dict[int, Worker] = {}
        self.shifted = 0
        self.refused = 0
        self.unexpected: list[str] = []
        self.faketime = find_faketime()
        self._settings = settings
        self._folder = folder
        self._size = size
        self._luck = luck
        self._started = 0
        self._ending = False

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep them running for the block; none outlives it."""
        try:
            async with AsyncExitStack() as stack:
                for number in range(self._size):
                    await stack.enter_async_context(background(self._keep(number)))
                yield
        finally:
            self._ending = True
            for worker in self.workers.values():
                with suppress(ProcessLookupError):
                    os.killpg(worker.process.pid, signal.SIGKILL)
            for worker in self.workers.values():
                await worker.process.wait()

    def strikable(self) -> Worker | None:
        """One at random to which something may be done now."""
        able = [worker for worker in self.workers.values() if worker.strikable]
        return self._luck.choice(able) if able else None

    async def drain(self) -> None:
        """Ask all to end and see them do it."""
        self._ending = True
        for worker in self.workers.values():
            worker.tell(signal.SIGTERM)
        for worker in self.workers.values():
            try:
                async with asyncio.timeout(END_WITHIN):
                    await worker.process.wait()
            except TimeoutError:
                self.unexpected.append(f"worker {worker.number} does not end when it is told to")

    async def _keep(self, number: int) -> None:
        while not self._ending:
            worker = await self._start(number)
            code = await worker.process.wait()
            self._note_end(worker, code)
            await asyncio.sleep(AGAIN_AFTER)

    async def _start(self, number: int) -> Worker:
        self._started += 1
        log = self._folder / f"worker-{number}-{self._started}.log"
        with log.open("wb") as said:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tests.chaos.harassed_worker",
                env={**self._settings, **self._shift(number)},
                stdout=said, stderr=said,
                start_new_session=True,
            )  # fmt: skip
        self.workers[number] = worker = Worker(number, process, log)
        return worker

    def _shift(self, number: int) -> Mapping[str, str]:
        """The wall clock alone: a machine whose time of day is wrong still counts seconds right."""
        if number != self._size - 1 or self.faketime is None:
            return {}
        self.shifted += 1
        return {
            "LD_PRELOAD": str(self.faketime),
            "FAKETIME": self._luck.choice(SHIFTS),
            "DONT_FAKE_MONOTONIC": "1",
        }

    def _note_end(self, worker: Worker, code: int) -> None:
        expected = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: 0}
        if self._ending or (worker.told and code == expected[worker.told]):
            return
        said = worker.log.read_text("utf-8", "replace")
        if NO_DATABASE in said:
            self.refused += 1
        else:
            self.unexpected.append(
                f"{worker.log.name}: ended with {code} after {worker.told!r}: {said[-2000:]}"
            )


def listens_to_term(pid: int) -> bool:
    """Whether a process would hear SIGTERM and not just end of it: it has come so far."""
    try:
        status = (Path("/proc") / str(pid) / "status").read_text()
    except OSError:
        return False
    [caught] = re.findall(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return bool(int(caught, 16) & (1 << (signal.SIGTERM - 1)))


def find_faketime() -> Path | None:
    """The library of Debian's `faketime`, if it is installed."""
    return next(iter(sorted(Path(LIBRARIES).glob("*/faketime/libfaketimeMT.so.1"))), None)
