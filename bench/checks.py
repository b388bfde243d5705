"""Starts checks from outside the workers, and sees what became of them."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from httpx2 import AsyncClient

from bench.installation import fresh_database, simulator, work
from quoth.accounts.workspace import Workspace, load_workspace
from quoth.capture.engines import EngineInfo, Engines
from quoth.capture.new_check import NewBrand, NewCheck, NewPrompt
from quoth.capture.start_check import start_check
from quoth.providers.contract import SIMULATOR
from quoth.providers.registry import ADAPTERS, ProviderSettings, open_provider
from quoth.storage import Database, Statement

LAST_ANSWER = Statement(
    b"select extract(epoch from max(ended_at))::float8 from capture.capture"
    b" having bool_and(outcome is not distinct from 'answered')"
)
Purchase = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Checks:
    """One worker process, its engines and its database."""

    database: Database
    workspace: Workspace
    engines: Engines
    client: AsyncClient
    worker_pid: int

    async def start(self, prompts: int, engines: tuple[str, ...], samples: int = 1) -> float:
        """Start a check; return when it was committed (seconds since the epoch)."""
        new = NewCheck(
            brand=NewBrand("Точка"),
            competitors=(),
            prompts=tuple(NewPrompt(f"Вопрос {n}?") for n in range(prompts)),
            engines=engines,
            samples=samples,
            started_by="api",
        )
        await start_check(self.database, self.workspace, self.engines, new)
        return time.time()

    async def purchases(self) -> list[Purchase]:
        """What the engines have in their books, in the order in which it came."""
        found: list[Purchase] = (await self.client.get("/control/purchases")).json()["purchases"]
        return sorted(found, key=lambda purchase: purchase["in"])

    async def last_answer(self) -> float | None:
        """When the last capture ended, once all are answered (seconds since the epoch)."""
        async with self.database.autocommit() as tx:
            found: list[float] = await tx.values(LAST_ANSWER)
        return found[0] if found else None


@asynccontextmanager
async def checks(*, speed: float, pool: int, slots: int) -> AsyncIterator[Checks]:
    """`quoth work` with its own simulator and database, idle."""
    async with (
        fresh_database() as database_url,
        simulator(speed) as engines,
        work(database_url, engines.url, pool=pool, slots=slots) as worker,
        Database.open(database_url) as database,
        _routes() as ready,
        AsyncClient(base_url=engines.url, timeout=30) as client,
    ):
        async with database.transaction() as tx:
            workspace = await load_workspace(tx)
        yield Checks(database, workspace, ready, client, worker.pid)


@asynccontextmanager
async def _routes() -> AsyncIterator[Engines]:
    """The engines as whoever starts a check knows them; it asks them nothing."""
    async with AsyncExitStack() as stack:
        ready = {
            name: await stack.enter_async_context(
                open_provider(adapter, ProviderSettings(api_key="unused", surface=SIMULATOR))
            )
            for name, adapter in ADAPTERS.items()
        }
        known = {name: EngineInfo(name, each.title, "") for name, each in ADAPTERS.items()}
        yield Engines(ready, known)
