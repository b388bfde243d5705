"""Wires the rooms together: what `serve`, `work` and `check` have in common, and each whole."""

import asyncio
import gc
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass

from quoth import __version__
from quoth.accounts.access import require_safe
from quoth.accounts.workspace import Workspace, load_workspace
from quoth.app.engines import open_engines
from quoth.app.errors import CannotStart
from quoth.app.http import serve_http
from quoth.app.open_database import open_database
from quoth.capture.ask_engine import ask_engine
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.engines import Engines
from quoth.loops import background
from quoth.observability.events import subscribe
from quoth.observability.log import start_log
from quoth.queue.channels import JOBS_CANCELLED, JOBS_READY
from quoth.queue.lanes import ensure_lane
from quoth.queue.worker import Pace, Worker
from quoth.settings.values import Settings
from quoth.storage import Database
from quoth.storage.listen import listen
from quoth.web.assets import PagesNotBuilt, load_assets


@dataclass(frozen=True, slots=True)
class Quoth:
    """A running installation, as this process sees it."""

    database: Database
    workspace: Workspace
    engines: Engines


@asynccontextmanager
async def open_quoth(
    settings: Settings, *, demo: bool, working: bool = True, quiet: bool = False
) -> AsyncIterator[Quoth]:
    """Open everything; with `working`, jobs are worked until the block ends, then drained.

    `quiet` logs only what is wrong: for a command that shows its own progress.
    """
    async with AsyncExitStack() as stack:
        level = "error" if quiet else settings.log_level
        stack.callback(subscribe(start_log(settings.log_format, level)))
        database = await stack.enter_async_context(open_database(settings))
        engines = await stack.enter_async_context(open_engines(settings, demo=demo))
        async with database.transaction() as tx:
            workspace = await load_workspace(tx)
            for provider in engines.ready.values():
                route = provider.route
                await ensure_lane(tx, route.lane, slots=route.slots, per_minute=route.per_minute)
        await stack.enter_async_context(
            background(listen(database, [JOBS_READY, JOBS_CANCELLED, CHECK_CHANGED]))
        )
        if working:
            await stack.enter_async_context(_working(settings, database, engines))
        yield Quoth(database, workspace, engines)


async def serve(
    settings: Settings,
    *,
    demo: bool,
    announce: Callable[[str], None],
    begin: Callable[[Quoth], Awaitable[None]] | None = None,
) -> None:
    """Pages, API and workers until SIGTERM or SIGINT; `begin` runs before anybody is let in."""
    require_safe(settings.listen, settings.access_token)
    _require_pages()
    async with _told_to_stop() as stop, open_quoth(settings, demo=demo) as quoth:
        if begin is not None:
            await begin(quoth)

        def ready(url: str) -> None:
            _settle()
            announce(f"Quoth is at {url}")

        await serve_http(
            settings,
            quoth.database,
            quoth.workspace,
            quoth.engines,
            stop=stop,
            ready=ready,
        )


def _require_pages() -> None:
    """Before anything is worked on: a copy of the package that was never installed has none."""
    try:
        load_assets()
    except PagesNotBuilt as error:
        raise CannotStart(str(error)) from error


async def work(settings: Settings) -> None:
    """Workers only, until SIGTERM or SIGINT."""
    async with _told_to_stop() as stop, open_quoth(settings, demo=False):
        _settle()
        await stop.wait()


def _settle() -> None:
    """Keep what has been loaded out of every later garbage collection.

    It stays to the end anyway; looking at it all each time stands the loop still for 50 ms.
    """
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def _working(settings: Settings, database: Database, engines: Engines) -> AsyncIterator[None]:
    worker = Worker(
        database,
        [ask_engine(database, engines.ready)],
        [provider.route.lane for provider in engines.ready.values()],
        version=__version__,
        pace=Pace(pool=settings.pool, drain=settings.drain),
    )
    stop = asyncio.Event()
    working = asyncio.create_task(worker.run(stop))
    try:
        yield
    finally:
        stop.set()
        await working


@asynccontextmanager
async def _told_to_stop() -> AsyncIterator[asyncio.Event]:
    """Set the event at SIGTERM or SIGINT; a second signal ends the process as it usually would."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT) if sys.platform != "win32" else ()

    def told() -> None:
        stop.set()
        for each in signals:
            with suppress(ValueError):
                loop.remove_signal_handler(each)

    for each in signals:
        loop.add_signal_handler(each, told)
    try:
        yield stop
    finally:
        for each in signals:
            loop.remove_signal_handler(each)
