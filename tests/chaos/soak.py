"""The soak: workers under load, struck all the time; then quiet, and the books are compared."""

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random

from quoth.loops import background
from quoth.providers.contract import SIMULATOR
from quoth.queue.lanes import resume_lane
from quoth.storage import Database, DatabaseUnavailable, Statement
from quoth.storage.embedded import Options
from quoth.storage.embedded.run import keep_running
from quoth.storage.embedded.server import EmbeddedServer
from quoth.storage.migrate import migrate
from tests.chaos.books import EngineSide, engine_side
from tests.chaos.fleet import Fleet
from tests.chaos.load import ENGINES, Load
from tests.chaos.places import Places
from tests.chaos.report import Evidence, Report, report_on
from tests.chaos.rows import load_rows
from tests.chaos.strikes import OURS, Strikes

WORKERS, POOL, SLOTS = 3, 12, 10
CREATE, DEADLINE = timedelta(seconds=4), timedelta(seconds=20)
# One strike in so many seconds, beside what the engines do.
STRIKE_EVERY = 0.07
QUIET_WITHIN = 180.0
TELL_EVERY = 10.0

OPEN = Statement(b"select count(*) from capture.capture where outcome is null")
# To make time pass, the due time is moved. A call that may be out keeps its place and its time.
HURRY = Statement(b"update queue.job set due_at = now() where state = 'waiting' and slot is null")


@dataclass(frozen=True, slots=True)
class Plan:
    """How long it rages: until so many faults were met, or so much time has passed."""

    seed: int
    faults: int
    at_most: timedelta
    tell: Callable[[str], None]


async def soak(plan: Plan) -> Report:
    """Returns what was counted and each breach that was found; nothing of it is left running."""
    luck = Random(plan.seed)
    folder = Path(tempfile.mkdtemp(prefix="quoth-chaos-"))
    # The server's user must come through.
    os.chmod(folder, 0o755)
    try:
        async with _server(folder) as server, engine_side(plan.seed) as engines:
            url = f"{server.url}&application_name={OURS}"
            fleet = Fleet(_settings(server.url, engines, folder), folder, WORKERS, luck)
            if fleet.faketime is None:
                plan.tell("no libfaketime here (Debian: faketime): no worker's clock is shifted")
            async with (
                Database.open(url) as database,
                fleet.running(),
                Load.open(database, DEADLINE) as load,
            ):
                strikes = Strikes(server, database, fleet, luck)
                places = Places(database)
                began = time.monotonic()
                async with background(places.watch()):
                    await _rage(plan, engines, fleet, load, strikes)
                    raged = timedelta(seconds=time.monotonic() - began)
                    open_still = await _quiet(database)
                calm = timedelta(seconds=time.monotonic() - began) - raged
                await fleet.drain()
                rows = await load_rows(database)
                return report_on(
                    Evidence(
                        rows, engines, fleet, strikes, load, places,
                        logs=folder, slots=SLOTS, open_still=open_still, raged=raged, calm=calm,
                        longest=DEADLINE / 2,
                    )
                )  # fmt: skip
    finally:
        shutil.rmtree(folder)


@asynccontextmanager
async def _server(folder: Path) -> AsyncIterator[EmbeddedServer]:
    """A durable server of its own, brought back by one supervisor, which nobody kills.

    The workers reach it by its address: were each of them to tend it, a frozen one might hold what
    starts it, and this is about the queue.
    """
    server = EmbeddedServer(folder / "data", Options(connections=100))
    try:
        await asyncio.to_thread(server.start)
        await migrate(server.url)
        async with background(keep_running(server)):
            yield server
    finally:
        await asyncio.to_thread(server.leave)


def _settings(url: str, engines: EngineSide, folder: Path) -> Mapping[str, str]:
    left_out = ("QUOTH_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
    return {
        **kept,
        "QUOTH_CONFIG": os.devnull,
        "QUOTH_DATABASE_URL": url,
        "QUOTH_SIMULATOR_URL": engines.simulator.url,
        "QUOTH_POOL": str(POOL),
        "QUOTH_DRAIN": "3s",
        "QUOTH_LOG_FORMAT": "json",
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
        "PYTHONUNBUFFERED": "1",
        **{
            f"QUOTH_{engine.upper()}_{name}": value
            for engine in ENGINES
            for name, value in (
                ("SLOTS", str(SLOTS)),
                ("CREATE_TIMEOUT", f"{CREATE.total_seconds():g}s"),
                ("DEADLINE", f"{DEADLINE.total_seconds():g}s"),
            )
        },
    }


async def _rage(
    plan: Plan, engines: EngineSide, fleet: Fleet, load: Load, strikes: Strikes
) -> None:
    began = time.monotonic()
    told = began

    def faults() -> int:
        struck = strikes.counted.total() + fleet.shifted
        return struck + len(engines.weather.met_by)

    def over() -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told > TELL_EVERY:
            told = now
            plan.tell(f"{now - began:5.0f} s: {faults()} faults, {load.checks} checks")
        return faults() >= plan.faults or now - began > plan.at_most.total_seconds()

    engines.weather.raging = True
    stop = asyncio.Event()
    loading = asyncio.create_task(load.keep_up(stop))
    try:
        await strikes.rage(over, every=STRIKE_EVERY)
        engines.weather.raging = False
    finally:
        stop.set()
        await loading


async def _quiet(database: Database) -> int:
    """Nothing goes wrong any more: wait until no capture is open; return how many still are."""
    began = time.monotonic()
    still = -1
    while still and time.monotonic() - began < QUIET_WITHIN:
        await asyncio.sleep(0.5)
        with suppress(DatabaseUnavailable):
            async with database.transaction() as tx:
                await tx.run(HURRY)
                # A cool-down that was asked for in the storm need not be sat out.
                for engine in ENGINES:
                    await resume_lane(tx, f"{engine}/{SIMULATOR}")
                [still] = await tx.values(OPEN)
    return still
