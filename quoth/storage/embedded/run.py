"""The embedded server for the length of a block, brought back whenever it dies."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path

from quoth.loops import background
from quoth.observability.events import emit
from quoth.storage.embedded.configuration import Options
from quoth.storage.embedded.errors import EmbeddedServerError
from quoth.storage.embedded.server import EmbeddedServer

LOOK_EVERY = timedelta(milliseconds=500)
TEND_EVERY = 120  # looks
AFTER_A_FAILURE = timedelta(seconds=2)


@asynccontextmanager
async def embedded_server(data_dir: Path, options: Options | None = None) -> AsyncIterator[str]:
    """Start or join the server of `data_dir`; yield its address.

    While the block runs, a server that dies is started again within a second or two. Afterwards
    it is stopped, unless another process uses it. Raises `EmbeddedServerError`.
    """
    loop = asyncio.get_running_loop()

    def tell(name: str, **facts: object) -> None:
        loop.call_soon_threadsafe(partial(emit, name, **facts))

    server = EmbeddedServer(data_dir, options, tell=tell)
    try:
        await _in_thread(server, server.start)
        async with background(keep_running(server)):
            yield server.url
    finally:
        await _in_thread(server, server.leave)


async def keep_running(server: EmbeddedServer) -> None:
    """Start the server again whenever it is gone, until cancelled."""
    looks = 0
    while True:
        await asyncio.sleep(LOOK_EVERY.total_seconds())
        looks += 1
        if looks % TEND_EVERY == 0:
            await asyncio.to_thread(server.tend)
        if await asyncio.to_thread(lambda: server.is_up):
            continue
        emit("embedded.died", place=server.layout.data_dir)
        try:
            await _in_thread(server, server.start)
        except EmbeddedServerError as error:
            emit("embedded.failed", reason=error.message)
            await asyncio.sleep(AFTER_A_FAILURE.total_seconds())


async def _in_thread(server: EmbeddedServer, work: Callable[[], None]) -> None:
    """Do blocking work; when we are cancelled, tell it to give up and see it end."""
    server.given_up.clear()
    working = asyncio.create_task(asyncio.to_thread(work))
    try:
        await asyncio.shield(working)
    except asyncio.CancelledError:
        server.given_up.set()
        await asyncio.gather(working, return_exceptions=True)
        raise
