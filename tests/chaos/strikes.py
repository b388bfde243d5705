"""What is done to processes and to the database: one function a kind, each its own undoing."""

import asyncio
import os
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from uuid import UUID

from quoth.queue.reap import LEASE
from quoth.storage import Database, DatabaseUnavailable, Statement
from quoth.storage.embedded.postmaster import find_postmaster
from quoth.storage.embedded.server import EmbeddedServer
from tests.chaos.fleet import Fleet, Worker

OURS = "quoth-chaos"

PIDS = Statement(
    b"""
    select pid
      from pg_stat_activity
     where backend_type = 'client backend'
       and datname = current_database()
       and application_name <> %(ours)s
       and query ~* %(last)s
     order by random()
     limit 1
    """
)
CUT = Statement(b"select pg_terminate_backend(%(pid)s)")
HELD = Statement(
    b"""
    select count(*)
      from queue.job
     where state in ('claimed', 'running')
       and worker = %(worker)s
    """
)
WORKER = Statement(
    b"""
    select id from queue.worker where pid = %(pid)s order by started_at desc limit 1
    """
)
# What a connection ran last tells whose it is.
ANY, LISTENER, BEAT = "", "^(un)?(listen|notify) ", "queue[.]worker"

# How often it is the turn of a kind that was not drawn on purpose yet.
RARE = 0.05

Deed = Callable[[], Awaitable[int]]


class Strikes:
    """Draws and does them; `counted` says how often each was done, `recovered` how fast."""

    def __init__(
        self, server: EmbeddedServer, database: Database, fleet: Fleet, luck: Random
    ) -> None:
        self.counted: Counter[str] = Counter()
        self.recovered: defaultdict[str, list[float]] = defaultdict(list)
        self._server = server
        self._database = database
        self._fleet = fleet
        self._luck = luck
        self._deeds: Mapping[str, tuple[float, Deed]] = {
            "a connection cut": (100, lambda: self._cut(ANY)),
            "the listener's connection cut": (7, lambda: self._cut(LISTENER)),
            "the beat's connection cut": (7, lambda: self._cut(BEAT)),
            "the listener deaf": (1, self._deafen),
            "a worker killed": (1.2, self._kill),
            "a worker told to end": (0.4, self._end),
            "a worker frozen past its lease": (0.5, self._freeze),
            "the event loop blocked": (0.5, lambda: self._stall(signal.SIGUSR1)),
            "the interpreter held": (0.5, lambda: self._stall(signal.SIGUSR2)),
            "PostgreSQL crashed": (0.1, lambda: self._down(signal.SIGKILL)),
            "PostgreSQL restarted": (0.1, lambda: self._down(signal.SIGINT)),
            "a server process of PostgreSQL killed": (0.1, self._kill_backend),
        }

    async def rage(self, until: Callable[[], bool], *, every: float) -> None:
        """Strike about once in `every` seconds; all is undone when this returns.

        Now and then a rare kind has its turn, so that a short soak sees each of them too.
        """
        kinds = list(self._deeds)
        weights = [weight for weight, _ in self._deeds.values()]
        rare = self._luck.sample(kinds, len(kinds))
        async with asyncio.TaskGroup() as striking:
            while not until():
                await asyncio.sleep(self._luck.expovariate(1 / every))
                [kind] = self._luck.choices(kinds, weights)
                if rare and self._luck.random() < RARE:
                    kind = rare.pop()
                striking.create_task(self._strike(kind))

    async def _strike(self, kind: str) -> None:
        # A database that is away just now cannot be asked whom to strike.
        with suppress(DatabaseUnavailable):
            done = await self._deeds[kind][1]()
            self.counted[kind] += done

    async def _pids(self, last: str) -> list[int]:
        async with self._database.autocommit() as tx:
            return await tx.values(PIDS, ours=OURS, last=last)

    async def _cut(self, last: str) -> int:
        for pid in await self._pids(last):
            async with self._database.autocommit() as tx:
                return int((await tx.values(CUT, pid=pid))[0])
        return 0

    async def _deafen(self) -> int:
        for pid in await self._pids(LISTENER):
            if not _is_backend(pid):
                continue
            os.kill(pid, signal.SIGSTOP)
            try:
                await asyncio.sleep(self._luck.uniform(2, 8))
            finally:
                if _is_backend(pid):
                    os.kill(pid, signal.SIGCONT)
            return 1
        return 0

    async def _kill_backend(self) -> int:
        for pid in await self._pids(ANY):
            if _is_backend(pid):
                os.kill(pid, signal.SIGKILL)
                await self._back("a killed server process")
                return 1
        return 0

    async def _down(self, how: signal.Signals) -> int:
        postmaster = await asyncio.to_thread(find_postmaster, self._server.layout)
        if postmaster is None or not postmaster.ready:
            return 0
        postmaster.signal(how)
        await self._back("a crash" if how == signal.SIGKILL else "a restart")
        return 1

    async def _back(self, after: str) -> None:
        """Wait until statements are answered again (it takes a moment until none is)."""
        began = time.monotonic()
        await asyncio.sleep(0.05)
        while True:
            with suppress(DatabaseUnavailable):
                if await self._pids(ANY):
                    break
            await asyncio.sleep(0.05)
        self.recovered[f"workers are back after {after} of PostgreSQL"].append(
            time.monotonic() - began
        )

    async def _kill(self) -> int:
        worker = self._fleet.strikable()
        if worker is None:
            return 0
        worker.tell(signal.SIGKILL)
        await self._taken_over(worker)
        return 1

    async def _taken_over(self, dead: Worker) -> None:
        began = time.monotonic()
        known: list[UUID] = []
        while time.monotonic() - began < 60:
            with suppress(DatabaseUnavailable):
                async with self._database.autocommit() as tx:
                    known = known or await tx.values(WORKER, pid=dead.process.pid)
                    if not known:
                        return
                    if await tx.values(HELD, worker=known[0]) == [0]:
                        break
            await asyncio.sleep(0.1)
        self.recovered["a killed worker's jobs are taken back"].append(time.monotonic() - began)

    async def _end(self) -> int:
        worker = self._fleet.strikable()
        if worker is None:
            return 0
        worker.tell(signal.SIGTERM)
        return 1

    async def _freeze(self) -> int:
        worker = self._fleet.strikable()
        if worker is None:
            return 0
        worker.taken = True
        worker.tell(signal.SIGSTOP)
        try:
            await asyncio.sleep(LEASE.total_seconds() + self._luck.uniform(0.5, 5))
        finally:
            worker.tell(signal.SIGCONT)
            worker.taken = False
        return 1

    async def _stall(self, how: signal.Signals) -> int:
        worker = self._fleet.strikable()
        if worker is None:
            return 0
        worker.tell(how)
        return 1


def _is_backend(pid: int) -> bool:
    """Whether the number is still a server process's: it may be somebody else's by now."""
    try:
        return (Path("/proc") / str(pid) / "comm").read_text().strip() == "postgres"
    except OSError:
        return False
