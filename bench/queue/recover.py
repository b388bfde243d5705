"""How soon a job runs again after its worker was killed."""

import asyncio
import math
import time
from contextlib import AsyncExitStack

from bench.queue.processes import SETUP_WITHIN, Late, Process, step
from bench.queue.server import Server
from bench.queue.systems import System

WAITED = 60.0
# So long the machine is left to one system after the kill; who takes longer waits beside others.
ALONE = 6.0
# A worker has shown that it lives before it dies.
LIVED = 2.0
STARTED_WITHIN = 30.0
CONCURRENCY = 10


class Recoveries:
    """Several systems may be waited for at once; their kills and restarts come one at a time."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._machine = asyncio.Lock()

    async def own(self, system: System) -> float:
        """The only worker dies and another is started at once; infinite when over a minute."""
        return await self._recover(system, others=0)

    async def other(self, system: System) -> float:
        """The one of two workers that runs the job dies; infinite when over a minute."""
        return await self._recover(system, others=1)

    async def _recover(self, system: System, *, others: int) -> float:
        async with AsyncExitStack() as stack:
            async with self._machine:
                installed = await stack.enter_async_context(self._server.installed(system))

                async def worker() -> Process:
                    work = step(system, "work", installed.url, CONCURRENCY, 0)
                    started = await stack.enter_async_context(work)
                    await started.hear("begun", SETUP_WITHIN)
                    return started

                workers = [await worker() for _ in range(1 + others)]
                await asyncio.sleep(LIVED)
                async with step(system, "produce", installed.url) as producer:
                    await producer.hear("ready", SETUP_WITHIN)
                    await producer.ask(body="hang", number=1)
                victim = await _first_to_start(workers)
                await asyncio.sleep(LIVED)
                await victim.kill()
                killed = time.time()
                heir = next((each for each in workers if each is not victim), None)
                hearing = asyncio.create_task(_again(heir or await worker()))
                stack.callback(hearing.cancel)
                await asyncio.wait({hearing}, timeout=ALONE)
            return await hearing - killed


async def _first_to_start(workers: list[Process]) -> Process:
    hearing = {asyncio.create_task(each.hear("started", STARTED_WITHIN)): each for each in workers}
    try:
        done, _ = await asyncio.wait(hearing, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        return hearing[done.pop()]
    finally:
        for task in hearing:
            task.cancel()
        await asyncio.gather(*hearing, return_exceptions=True)


async def _again(heir: Process) -> float:
    try:
        at: float = (await heir.hear("started", WAITED))["at"]
    except Late:
        return math.inf
    return at
