"""`python -m bench`: measure all, write `results.json` and `results.md`."""

import asyncio
import heapq
import json
import math
import os
import platform
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from httpx2 import AsyncClient

from bench.parts import open_engines
from quoth import __version__
from quoth.accounts.workspace import load_workspace
from quoth.capture.new_check import NewBrand, NewCheck, NewPrompt
from quoth.capture.start_check import start_check
from quoth.storage import Database
from quoth.storage.embedded import embedded_server
from quoth.storage.migrate import migrate

HERE = Path(__file__).parent
WARM_UP = 10
Row = dict[str, Any]


@asynccontextmanager
async def part(*words: str) -> AsyncIterator[tuple[str, int]]:
    """Run a part; yield its first line and its process id."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.parts", *words, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode().strip()
        if not line:
            raise RuntimeError(f"{words[0]} did not start")
        yield line, process.pid
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def fresh_database() -> AsyncIterator[str]:
    """An embedded server with the product's own, durable settings."""
    with tempfile.TemporaryDirectory(prefix="quoth-bench-") as folder:
        os.chmod(folder, 0o755)
        async with embedded_server(Path(folder) / "data") as url:
            await migrate(url)
            yield url


def p99(values: list[float]) -> float:
    return sorted(values)[math.ceil(len(values) * 0.99) - 1]


def row(name: str, value: float, unit: str, target: float, about: str) -> Row:
    return {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "ratio": round(value / target, 3),
        "against": f"target {target:g} {unit}",
        "about": about,
    }


async def accept(prompts: int, samples: int, requests: int) -> list[float]:
    body = {
        "brand": {"name": "Точка", "domains": ["tochka.com"]},
        "competitors": [{"name": "Сбербанк"}],
        "prompts": [{"text": f"Лучший банк для ИП, вопрос {n}?"} for n in range(prompts)],
        "engines": ["chatgpt", "perplexity"],
        "samples": samples,
    }
    took = []
    async with (
        fresh_database() as url,
        part("simulator", "1") as (simulator, _),
        part("api", url, simulator) as (api, _),
        AsyncClient(base_url=api, timeout=30) as client,
    ):
        for _ in range(WARM_UP + requests):
            began = time.perf_counter()
            reply = await client.post("/api/v1/checks", json=body)
            took.append((time.perf_counter() - began) * 1000)
            if reply.status_code != 202 or reply.json()["total"] != prompts * 2 * samples:
                raise RuntimeError(f"not accepted: {reply.status_code} {reply.text[:200]}")
    return took[WARM_UP:]


@asynccontextmanager
async def working(speed: float, pool: int, slots: int) -> AsyncIterator[tuple[Any, Any, int]]:
    """Yield a way to start checks, one to see the purchases, and the worker's process id."""
    async with (
        fresh_database() as url,
        part("simulator", str(speed)) as (simulator, _),
        part("worker", url, simulator, str(pool), str(slots)) as (_, pid),
        Database.open(url) as database,
        open_engines(simulator, slots) as engines,
        AsyncClient(base_url=simulator, timeout=30) as client,
    ):
        async with database.transaction() as tx:
            workspace = await load_workspace(tx)

        async def start(prompts: int, engine_names: tuple[str, ...], samples: int = 1) -> float:
            new = NewCheck(
                brand=NewBrand("Точка", (), ()),
                competitors=(),
                prompts=tuple(NewPrompt(f"Вопрос {n}?", "ru", "RU") for n in range(prompts)),
                engines=engine_names,
                samples=samples,
                started_by="api",
                idempotency_key=None,
            )
            await start_check(database, workspace, engines, new)
            return time.time()

        async def purchases() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = (await client.get("/control/purchases")).json()[
                "purchases"
            ]
            return found

        await asyncio.sleep(2)
        yield start, purchases, pid


async def pickup(checks: int = 100) -> list[float]:
    took = []
    async with working(200, 8, 4) as (start, purchases, _):
        for done in range(checks + WARM_UP):
            committed = await start(1, ("perplexity",))
            while len(found := await purchases()) <= done:  # noqa: ASYNC110 - HTTP has no event
                await asyncio.sleep(0.02)
            took.append((found[-1]["in"] - committed) * 1000)
            # The answer comes within 0.15 s; then the pool is idle again.
            await asyncio.sleep(0.25)
    return took[WARM_UP:]


async def makespan() -> tuple[float, float]:
    """Return the seconds it took and those of a list schedule without any overhead."""
    async with working(3.3, 8, 4) as (start, purchases, _):
        committed = await start(8, ("chatgpt", "perplexity"), 2)
        while True:
            found = await purchases()
            if len(found) == 32 and all(each["out"] <= time.time() for each in found):
                break
            await asyncio.sleep(0.2)
    lanes: defaultdict[str, list[float]] = defaultdict(list)
    for each in sorted(found, key=lambda each: each["in"]):
        lanes[each["engine"]].append(each["out"] - each["in"])
    ideal = 0.0
    for latencies in lanes.values():
        places = [0.0] * 4
        for latency in latencies:
            heapq.heappush(places, heapq.heappop(places) + latency)
        ideal = max(ideal, *places)
    return max(each["out"] for each in found) - committed, ideal


def peak_rss(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    [line] = [line for line in status if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


async def rss() -> tuple[float, int]:
    """Return the peak in MB and how many captures the engines had in hand at once."""
    async with working(0.1, 1000, 1000) as (start, purchases, pid):
        await start(500, ("chatgpt", "perplexity"))
        until = time.time() + 60
        most = 0
        while most < 1000 and time.time() < until:
            now = time.time()
            most = max(most, sum(each["out"] > now for each in await purchases()))
            await asyncio.sleep(1)
        await asyncio.sleep(10)
        peak = peak_rss(pid)
    return peak, most


async def measure() -> list[Row]:
    rows = []
    for name, shape, target in (
        ("accept_32_p99", (8, 2, 300), 15.0),
        ("accept_1000_p99", (250, 2, 60), 100.0),
    ):
        took = await accept(*shape)
        about = f"median {statistics.median(took):.1f} ms of {len(took)} requests"
        rows.append(row(name, p99(took), "ms", target, about))
        write(rows)
    took = await pickup()
    about = f"median {statistics.median(took):.1f} ms of {len(took)} checks"
    rows.append(row("check_pickup_p99", p99(took), "ms", 15, about))
    write(rows)
    real, ideal = await makespan()
    rows.append(
        {
            "name": "makespan",
            "value": round(real, 3),
            "unit": "s",
            "ratio": round(real / ideal, 4),
            "against": f"list schedule without overhead, {ideal:.3f} s (target ratio 1.05)",
            "about": "one run, commit to the last answer's being ready at the engine",
        }
    )
    write(rows)
    peak, most = await rss()
    rows.append(row("rss_1000", peak, "MB", 120, f"VmHWM; {most} captures in flight at once"))
    write(rows)
    return rows


def write(rows: list[Row]) -> None:
    print(rows[-1], flush=True)
    path = HERE / "results.json"
    known = json.loads(path.read_text()) if path.exists() else []
    merged = {each["name"]: each for each in known} | {each["name"]: each for each in rows}
    path.write_text(json.dumps(list(merged.values()), ensure_ascii=False, indent=2) + "\n")
    lines = [
        "# What was measured",
        "",
        f"`make bench`, {time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC; "
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, Quoth {__version__}, embedded PostgreSQL with its "
        "durable defaults, everything on one machine.",
        "",
        "Accepting: one client over a kept connection, no worker, the same prompts each time. "
        "Pickup: from the return of `start_check` to the purchase in the simulator's books. "
        "Makespan: 32 captures, two engines of 4 places, pool 8, speed 3.3, polls at least 0.2 s "
        "apart. Memory: pool and lanes of 1,000, speed 0.1.",
        "",
        "| name | value | unit | ratio | against | about |",
        "|---|---|---|---|---|---|",
    ]
    keys = ("name", "value", "unit", "ratio", "against", "about")
    lines += [
        "| " + " | ".join(str(each.get(k, "")) for k in keys) + " |" for each in merged.values()
    ]
    (HERE / "results.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write(asyncio.run(measure()))
