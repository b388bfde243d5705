"""The server all are measured on: the product's own, with its durable defaults."""

import asyncio
import itertools
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from psycopg import AsyncConnection

from bench.queue.processes import SETUP_WITHIN, Failed, step
from bench.queue.systems import System
from quoth.storage.embedded import Options, embedded_server

# Many peers wait for their recovery at the same time.
CONNECTIONS = 300
LOOK_EVERY = 0.01
ENDED_WITHIN = 60.0


class Installed:
    """A system in a database of its own."""

    def __init__(self, url: str, connection: AsyncConnection, unfinished: str) -> None:
        self.url = url
        self._connection = connection
        self._unfinished = unfinished.encode()

    async def settle(self) -> None:
        """Leave the server nothing to do but what is measured next."""
        await self._connection.execute("analyze")
        await self._connection.execute("checkpoint")

    async def ended(self) -> float:
        """Wait until the database says that no job is left; return when that was."""
        until = time.monotonic() + ENDED_WITHIN
        while time.monotonic() < until:
            row = await (await self._connection.execute(self._unfinished)).fetchone()
            if row == (False,):
                return time.time()
            await asyncio.sleep(LOOK_EVERY)
        raise Failed("its jobs ran, but it never said that they have ended")


class Server:
    """Gives each repetition a fresh database."""

    def __init__(self, url: str, connection: AsyncConnection) -> None:
        self._url = url
        self._connection = connection
        self._nth = itertools.count(1)

    @classmethod
    @asynccontextmanager
    async def start(cls) -> AsyncIterator["Server"]:
        with tempfile.TemporaryDirectory(prefix="quoth-bench-") as folder:
            os.chmod(folder, 0o755)
            options = Options(connections=CONNECTIONS)
            async with (
                embedded_server(Path(folder) / "data", options) as url,
                await AsyncConnection.connect(url, autocommit=True) as connection,
            ):
                yield cls(url, connection)

    async def version(self) -> str:
        row = await (await self._connection.execute("show server_version")).fetchone()
        return str(row[0]) if row else ""

    @asynccontextmanager
    async def database(self) -> AsyncIterator[str]:
        """An empty database, dropped at the end of the block."""
        name = f"bench_{next(self._nth)}"
        await self._connection.execute(f"create database {name}".encode())
        try:
            yield urlunsplit(urlsplit(self._url)._replace(path=f"/{name}"))
        finally:
            await self._connection.execute(f"drop database {name} with (force)".encode())

    @asynccontextmanager
    async def installed(self, system: System) -> AsyncIterator[Installed]:
        """The system's schema in a fresh database."""
        async with self.database() as url:
            async with step(system, "setup", url) as setup:
                said = await setup.hear("unfinished", SETUP_WITHIN)
            async with await AsyncConnection.connect(url, autocommit=True) as connection:
                yield Installed(url, connection, said["unfinished"])
