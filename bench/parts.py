"""The parts of an installation, each in a process of its own: `python -m bench.parts PART ...`."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.routing import Mount

from quoth import __version__
from quoth.accounts.workspace import load_workspace
from quoth.api.create_api import create_api
from quoth.capture.ask_engine import ask_engine
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.engines import EngineInfo, Engines
from quoth.loops import background
from quoth.providers.contract import SIMULATOR
from quoth.providers.registry import ADAPTERS, ProviderSettings, open_provider
from quoth.queue.channels import JOBS_CANCELLED, JOBS_READY
from quoth.queue.lanes import ensure_lane
from quoth.queue.worker import Pace, Worker
from quoth.simulator.engines import ENGINES
from quoth.simulator.serve import serve_simulator
from quoth.storage import Database
from quoth.storage.listen import listen

POLL_FLOOR = timedelta(seconds=0.2)


@asynccontextmanager
async def open_engines(simulator: str, slots: int) -> AsyncIterator[Engines]:
    bases = {engine.name: simulator + engine.base for engine in ENGINES}
    async with AsyncExitStack() as stack:
        ready = {
            name: await stack.enter_async_context(
                open_provider(
                    adapter,
                    ProviderSettings(
                        api_key="simulated-key",
                        base_url=bases[name],
                        slots=slots,
                        surface=SIMULATOR,
                        poll_floor=POLL_FLOOR,
                    ),
                )
            )
            for name, adapter in ADAPTERS.items()
        }
        known = {name: EngineInfo(name, each.title, "") for name, each in ADAPTERS.items()}
        yield Engines(ready, known)


async def simulator(speed: str) -> None:
    async with serve_simulator(speed=float(speed)) as served:
        print(served.url, flush=True)
        await asyncio.Event().wait()


async def api(database_url: str, simulator_url: str) -> None:
    async with (
        Database.open(database_url) as database,
        open_engines(simulator_url, 4) as engines,
    ):
        async with database.transaction() as tx:
            workspace = await load_workspace(tx)
        app = Starlette(routes=[Mount("/api/v1", create_api(database, workspace, engines))])
        with socket.create_server(("127.0.0.1", 0)) as listener:
            config = uvicorn.Config(app, ws="none", lifespan="off", log_config=None)
            print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
            await uvicorn.Server(config).serve([listener])


async def worker(database_url: str, simulator_url: str, pool: str, slots: str) -> None:
    connections = min(int(pool) + 4, 20)
    async with (
        Database.open(database_url, connections=connections) as database,
        open_engines(simulator_url, int(slots)) as engines,
    ):
        lanes = [provider.route.lane for provider in engines.ready.values()]
        async with database.transaction() as tx:
            for lane in lanes:
                await ensure_lane(tx, lane, slots=int(slots))
        async with background(listen(database, [JOBS_READY, JOBS_CANCELLED, CHECK_CHANGED])):
            kind = ask_engine(database, engines.ready)
            pace = Pace(pool=int(pool))
            working = Worker(database, [kind], lanes, version=__version__, pace=pace)
            print("ready", flush=True)
            await working.run(asyncio.Event())


async def main(words: list[str]) -> None:
    match words:
        case ["simulator", speed]:
            await simulator(speed)
        case ["api", database_url, simulator_url]:
            await api(database_url, simulator_url)
        case ["worker", database_url, simulator_url, pool, slots]:
            await worker(database_url, simulator_url, pool, slots)
        case _:
            raise SystemExit(f"no such part: {words}")


if __name__ == "__main__":
    # As `quoth` itself runs: on plain asyncio these sockets would have no TCP_NODELAY.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(sys.argv[1:]))
