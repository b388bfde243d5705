"""One PostgreSQL a test process; one fresh database, cloned from a migrated one, for each test."""

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from quoth.storage import Database
from quoth.storage.addresses import Addresses
from quoth.storage.embedded import Options
from quoth.storage.embedded.server import EmbeddedServer
from quoth.storage.migrate import migrate

numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of an empty server's own database; a migrated one is called `template`."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-"))
    folder.chmod(0o755)
    running = EmbeddedServer(folder / "data", Options(connections=300, durable=False))
    try:
        running.start()
        with psycopg.connect(running.url, autocommit=True) as admin:
            admin.execute("create database template")
        asyncio.run(_migrate(make_conninfo(running.url, dbname="template")))
        yield running.url
    finally:
        running.leave()
        shutil.rmtree(folder)


async def _migrate(url: str) -> None:
    await migrate(url)


@pytest.fixture
def empty_database_url(server: str) -> Iterator[str]:
    """A database with nothing in it."""
    yield from _database(server, "template1")


@pytest.fixture
def database_url(server: str) -> Iterator[str]:
    """A database of its own, migrated."""
    yield from _database(server, "template")


@pytest.fixture
def addresses(database_url: str) -> Addresses:
    """How the product is told to reach it. `tests/pooled` puts a pooler between."""
    return Addresses.of(database_url)


@pytest.fixture
async def database(addresses: Addresses) -> AsyncIterator[Database]:
    """The same, open."""
    async with Database.open(addresses) as database:
        yield database


def _database(server: str, template: str) -> Iterator[str]:
    name = f"test_{next(numbers)}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"create database {name} template {template} strategy file_copy".encode())
        try:
            yield server.replace("/quoth?", f"/{name}?")
        finally:
            admin.execute(f"drop database {name} with (force)".encode())
