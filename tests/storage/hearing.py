"""Listen as another process would."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from quoth.loops import background
from quoth.storage import Database
from quoth.storage.listen import listen
from quoth.storage.notices import Notices


def heard_on(notices: Notices, channel: str) -> list[str]:
    """All that this process hears on `channel` from now on."""
    heard: list[str] = []
    notices.subscribe(channel, heard.append)
    return heard


@asynccontextmanager
async def listening(database: Database, channel: str) -> AsyncIterator[asyncio.Queue[str]]:
    """Hear what others announce; the block starts when nothing can be missed any more."""
    heard: asyncio.Queue[str] = asyncio.Queue()
    database.notices.subscribe(channel, heard.put_nowait)
    async with background(listen(database, [channel])):
        assert await heard.get() == ""
        yield heard
