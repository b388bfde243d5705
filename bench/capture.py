"""How soon, how closely and in how little memory one worker process asks the engines."""

import asyncio
import heapq
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from bench.checks import Checks, Purchase, checks
from bench.results import Result, against_target, percentile

WARM_UP = 10
BOTH = ("chatgpt", "perplexity")


async def pickup() -> AsyncIterator[Result]:
    """From the commit of a check to its purchase in the engine's books, the pool idle."""
    took = []
    async with checks(speed=200, pool=8, slots=4) as running:
        for done in range(WARM_UP + 200):
            committed = await running.start(1, ("perplexity",))
            while len(found := await running.purchases()) <= done:  # noqa: ASYNC110 - HTTP
                await asyncio.sleep(0.02)
            took.append((found[-1]["in"] - committed) * 1000)
            # The answer comes within 0.15 s; then the pool is idle again.
            await asyncio.sleep(0.25)
    took = took[WARM_UP:]
    about = f"median {percentile(took, 0.5):.1f}, worst {max(took):.1f} ms of {len(took)} checks"
    yield against_target("check_pickup_p99", percentile(took, 0.99), "ms", 15, about)


async def makespan() -> AsyncIterator[Result]:
    """From the commit of 32 captures to the last answer in the database, beside the ideal."""
    runs = []
    for _ in range(3):
        async with checks(speed=3.3, pool=8, slots=4) as running:
            committed = await running.start(8, BOTH, samples=2)
            async with asyncio.timeout(300):
                while (ended := await running.last_answer()) is None:  # noqa: ASYNC110 - a row
                    await asyncio.sleep(0.2)
            found = await running.purchases()
        if len(found) != 32:
            raise RuntimeError(f"32 captures took {len(found)} purchases")
        runs.append((ended - committed, list_schedule(found, places=4)))
    real, ideal = max(runs, key=lambda run: run[0] / run[1])
    yield Result(
        "makespan", round(real, 3), "s", round(real / ideal, 4),
        f"{ideal:.3f} s, a first-come list schedule of the same latencies without overhead",
        "worst of 3 runs; 2 engines of 4 places, pool 8, engines 3.3 times as fast as real ones; "
        "promised: 1.05",
    )  # fmt: skip


def list_schedule(purchases: Sequence[Purchase], *, places: int) -> float:
    """How long these would have taken first come, first served, and nothing between them."""
    lanes: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * places)
    for purchase in purchases:
        lane = lanes[purchase["engine"]]
        heapq.heappush(lane, heapq.heappop(lane) + purchase["out"] - purchase["in"])
    return max(end for lane in lanes.values() for end in lane)


async def memory() -> AsyncIterator[Result]:
    """The peak of a worker process that has 1,000 captures in flight."""
    async with checks(speed=0.1, pool=1000, slots=1000) as running:
        await running.start(500, BOTH)
        await _until_in_flight(running, 1000)
        # Each is polled by now; what that takes is in the peak too.
        await asyncio.sleep(15)
        peak = _peak_mb(running.worker_pid)
    about = "VmHWM of one process, all 1,000 accepted by the engines and polled"
    yield against_target("rss_1000", peak, "MB", 120, about)


async def _until_in_flight(running: Checks, wanted: int) -> None:
    until = time.monotonic() + 60
    while True:
        now = time.time()
        flying = sum(purchase["out"] > now for purchase in await running.purchases())
        if flying >= wanted:
            return
        if time.monotonic() > until:
            raise RuntimeError(f"only {flying} captures were ever in flight")
        await asyncio.sleep(1)


def _peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in status if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024
