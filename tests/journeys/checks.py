"""Checks that are started without a process of their own."""

from contextlib import AsyncExitStack

from quoth.accounts.workspace import load_workspace
from quoth.app.engines import known_engines
from quoth.capture.engines import Engines
from quoth.capture.new_check import NewBrand, NewCheck, NewPrompt
from quoth.capture.start_check import start_check
from quoth.providers.contract import SIMULATOR
from quoth.providers.registry import ADAPTERS, ProviderSettings, open_provider
from quoth.storage import Database


async def begin_check(database: Database, engine: str, prompts: int) -> None:
    """Write a check of simulated engines with its jobs; nobody works on it yet."""
    async with AsyncExitStack() as stack, database.transaction() as tx:
        workspace = await load_workspace(tx)
        provider = await stack.enter_async_context(
            open_provider(ADAPTERS[engine], ProviderSettings(api_key="unused", surface=SIMULATOR))
        )
    new = NewCheck(
        brand=NewBrand("Точка"),
        competitors=(NewBrand("Сбербанк"),),
        prompts=tuple(NewPrompt(f"Какой банк лучше, вариант {n}?") for n in range(prompts)),
        engines=(engine,),
        started_by="api",
    )
    await start_check(database, workspace, Engines({engine: provider}, known_engines()), new)
