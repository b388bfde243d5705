"""How much one worker process does, how soon, and in how much memory."""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bench.queue.processes import DRAIN_WITHIN, SETUP_WITHIN, Process, step
from bench.queue.server import Installed, Server
from bench.queue.systems import System

JOBS = 10_000
NAPS = 1_000
PICKUPS = 300
# Whoever polls takes long to pick up 300 jobs; what came until then is enough to judge it by.
PICKUPS_WITHIN = 20.0
WARM_UP = 20
IDLE = (0.015, 0.035)


@dataclass(frozen=True, slots=True)
class Drained:
    """Rates are jobs a second."""

    enqueued: float
    drained: float
    peak_mb: float


async def drain(server: Server, system: System, concurrency: int) -> Drained:
    """Enqueue 10,000 jobs in bulk, then work them off: from the worker's start to the last end."""
    async with server.installed(system) as installed:
        async with _producer(system, installed) as producer:
            filled = await producer.ask(body="noop", count=JOBS)
        await installed.settle()
        async with step(system, "work", installed.url, concurrency, JOBS) as worker:
            took = await _until_ended(worker, installed)
            peak = worker.peak_mb
    return Drained(JOBS / (filled["committed"] - filled["began"]), JOBS / took, peak)


async def waits(server: Server, system: System) -> float:
    """1,000 jobs that wait a second each, all at once: seconds from the worker's start."""
    async with server.installed(system) as installed:
        async with _producer(system, installed) as producer:
            await producer.ask(body="nap", count=NAPS)
        await installed.settle()
        async with step(system, "work", installed.url, NAPS, NAPS) as worker:
            return await _until_ended(worker, installed)


async def pickup(server: Server, system: System) -> list[float]:
    """Milliseconds from the commit of a job to its start in another process, which is idle."""
    took = []
    async with (
        server.installed(system) as installed,
        _producer(system, installed) as producer,
        step(system, "work", installed.url, 10, 0) as worker,
    ):
        until = time.monotonic() + DRAIN_WITHIN
        for number in range(WARM_UP + PICKUPS):
            if number == WARM_UP:
                until = time.monotonic() + PICKUPS_WITHIN
            if time.monotonic() > until:
                break
            committed = (await producer.ask(body="stamp", number=number))["committed"]
            started = (await worker.hear("started", 30))["at"]
            took.append((started - committed) * 1000)
            await asyncio.sleep(random.uniform(*IDLE))
    return took[WARM_UP:]


async def _until_ended(worker: Process, installed: Installed) -> float:
    begun: float = (await worker.hear("begun", SETUP_WITHIN))["begun"]
    await worker.hear("ran", DRAIN_WITHIN)
    return await installed.ended() - begun


@asynccontextmanager
async def _producer(system: System, installed: Installed) -> AsyncIterator[Process]:
    async with step(system, "produce", installed.url) as producer:
        await producer.hear("ready", SETUP_WITHIN)
        yield producer
