"""Checks that are started all the time, whatever happens to the database meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from typing import Self

from quoth.accounts.workspace import Workspace, load_workspace
from quoth.app.engines import known_engines
from quoth.capture.engines import Engines
from quoth.capture.new_check import NewBrand, NewCheck, NewPrompt
from quoth.capture.start_check import start_check
from quoth.providers.contract import SIMULATOR
from quoth.providers.registry import ADAPTERS, ProviderSettings, open_provider
from quoth.storage import Database, DatabaseUnavailable, Statement

ENGINES = ("chatgpt", "perplexity")
PROMPTS = 8
# As many captures are kept open: enough for every place in the lanes and a queue behind.
BACKLOG = 160
LOOK_EVERY = 0.2
AGAIN_AFTER = 0.1

OPEN = Statement(b"select count(*) from capture.capture where outcome is null")


class Load:
    """Starts checks of questions that were never asked before, so that each is one capture's."""

    def __init__(self, database: Database, workspace: Workspace, engines: Engines) -> None:
        self.checks = 0
        self.repeated = 0
        self._database = database
        self._workspace = workspace
        self._engines = engines

    @classmethod
    @asynccontextmanager
    async def open(cls, database: Database, deadline: timedelta) -> AsyncIterator[Self]:
        """`deadline` is what the workers are set to as well: it is frozen in each check."""
        given = ProviderSettings(api_key="unused", surface=SIMULATOR, deadline=deadline)
        async with AsyncExitStack() as stack:
            async with database.transaction() as tx:
                workspace = await load_workspace(tx)
            ready = {
                name: await stack.enter_async_context(open_provider(ADAPTERS[name], given))
                for name in ENGINES
            }
            yield cls(database, workspace, Engines(ready, known_engines()))

    async def keep_up(self, stop: asyncio.Event) -> None:
        """Until `stop`; a check that was begun is in the database when this returns."""
        while not stop.is_set():
            if await self._open() < BACKLOG:
                await self._start_one()
            else:
                await asyncio.sleep(LOOK_EVERY)

    async def _open(self) -> int:
        try:
            async with self._database.autocommit() as tx:
                return int((await tx.values(OPEN))[0])
        except DatabaseUnavailable:
            await asyncio.sleep(AGAIN_AFTER)
            return BACKLOG

    async def _start_one(self) -> None:
        """Under the same key until it is confirmed: a commit may have been made and not heard."""
        self.checks += 1
        new = NewCheck(
            brand=NewBrand("Точка"),
            competitors=(NewBrand("Сбербанк"),),
            prompts=tuple(
                NewPrompt(f"Какой банк лучше, вопрос {self.checks} {n}?") for n in range(PROMPTS)
            ),
            engines=ENGINES,
            started_by="api",
            idempotency_key=f"chaos {self.checks}",
        )
        while True:
            try:
                await start_check(self._database, self._workspace, self._engines, new)
            except DatabaseUnavailable:
                self.repeated += 1
                await asyncio.sleep(AGAIN_AFTER)
            else:
                return
