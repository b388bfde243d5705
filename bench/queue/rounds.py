"""System by system, round by round: what disturbs the machine disturbs all alike."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence

from psycopg import Error

from bench.queue.figures import Figures
from bench.queue.measure import drain, pickup, waits
from bench.queue.processes import Failed
from bench.queue.recover import Recoveries
from bench.queue.server import Server
from bench.queue.systems import System
from bench.results import percentile

# Each system is measured with the one of these that suits it better; whoever is this slow (jobs a
# second) would only take the time to find out which.
CONCURRENCIES = (1000, 100)
SLOW = 1500
# Of one system's turn: what hangs must not keep the others from being measured.
AT_MOST = 300.0
KINDS = {
    "drain": ("drain", "bulk_enqueue", "worker_rss"),
    "pickup": ("pickup_p50", "pickup_p99"),
    "waits": ("waits_1000",),
}


class Rounds:
    """Takes figures of the systems."""

    def __init__(self, server: Server, systems: Sequence[System], figures: Figures) -> None:
        self._server = server
        self._systems = systems
        self._figures = figures
        self._better: dict[System, int] = {}

    async def measure(self, kind: str, nth: int) -> None:
        """One repetition of every system that has not failed in this."""
        take = {"drain": self._drain, "pickup": self._pickup, "waits": self._waits}[kind]
        for system in self._systems:
            if not any(system.title in self._figures.failed[name] for name in KINDS[kind]):
                await self._try(system, KINDS[kind], take, f"round {nth + 1}, {kind}")

    async def recover(self, rounds: int) -> None:
        """Once each; again with those who are back within a minute, as they are to compare with."""
        recoveries = Recoveries(self._server)
        ways = {"recover_own": recoveries.own, "recover_other": recoveries.other}
        for nth in range(rounds):
            async with asyncio.TaskGroup() as tasks:
                for name, way in ways.items():
                    for system in self._systems:
                        if self._worth_repeating(name, system):
                            take = self._recovered(name, way)
                            tasks.create_task(
                                self._try(system, (name,), take, f"round {nth + 1}, {name}")
                            )

    def _worth_repeating(self, name: str, system: System) -> bool:
        taken = self._figures.taken[name].get(system.title, [])
        return system.title not in self._figures.failed[name] and not any(map(math.isinf, taken))

    def _recovered(
        self, name: str, way: Callable[[System], Awaitable[float]]
    ) -> Callable[[System], Awaitable[None]]:
        async def take(system: System) -> None:
            self._figures.add(name, system.title, await way(system))

        return take

    async def _try(
        self,
        system: System,
        names: Sequence[str],
        take: Callable[[System], Awaitable[None]],
        what: str,
    ) -> None:
        try:
            async with asyncio.timeout(AT_MOST):
                await take(system)
        except (Failed, Error, OSError) as failed:
            said = f"failed: {_why(failed)}"
            for name in names:
                self._figures.fail(name, system.title, _why(failed))
        else:
            taken = [self._figures.taken[name][system.title] for name in names]
            said = ", ".join(
                f"{name} {values[-1]:,.3f}" for name, values in zip(names, taken, strict=True)
            )
        print(f"{time.strftime('%H:%M:%S')} {what}, {system.title}: {said}", flush=True)

    async def _drain(self, system: System) -> None:
        if system in self._better:
            drained = await drain(self._server, system, self._better[system])
        else:
            tried = {}
            for each in CONCURRENCIES:
                tried[each] = await drain(self._server, system, each)
                if tried[each].drained < SLOW:
                    break
            best = max(tried, key=lambda each: tried[each].drained)
            self._better[system], drained = best, tried[best]
        self._figures.add("drain", system.title, drained.drained)
        self._figures.add("bulk_enqueue", system.title, drained.enqueued)
        self._figures.add("worker_rss", system.title, drained.peak_mb)

    async def _pickup(self, system: System) -> None:
        took = await pickup(self._server, system)
        self._figures.add("pickup_p50", system.title, percentile(took, 0.5))
        self._figures.add("pickup_p99", system.title, percentile(took, 0.99))

    async def _waits(self, system: System) -> None:
        self._figures.add("waits_1000", system.title, await waits(self._server, system))


def _why(failed: Exception) -> str:
    return " ".join(str(failed).split()) or type(failed).__name__
