"""The database of an installation, started, migrated and connected."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from quoth.settings.values import Settings
from quoth.storage import Database
from quoth.storage.addresses import Addresses
from quoth.storage.embedded.layout import Layout
from quoth.storage.embedded.run import embedded_server
from quoth.storage.migrate import migrate

# Statements are short: a few connections serve a pool of any size, and each costs memory.
MOST_CONNECTIONS = 20


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncIterator[Database]:
    """Start or reach the server, bring the schema up to date, connect."""
    connections = min(settings.pool + 4, MOST_CONNECTIONS)
    if settings.database_url is not None:
        addresses = Addresses(settings.database_url, settings.database_direct_url)
        await migrate(addresses)
        async with Database.open(addresses, connections=connections) as database:
            yield database
        return
    async with embedded_server(settings.data_dir) as url:
        addresses = Addresses.of(url)
        await migrate(addresses, backups=Layout(settings.data_dir).backups)
        async with Database.open(addresses, connections=connections) as database:
            yield database
