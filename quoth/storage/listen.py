"""Hear what other processes announce, and notice when one has become deaf."""

import asyncio
import os
import socket
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from datetime import timedelta

from psycopg import AsyncConnection, InterfaceError, OperationalError
from psycopg.sql import SQL, Identifier

from quoth.observability.events import emit
from quoth.storage.database import Database
from quoth.storage.notices import Notices

# A half-open connection gives no error and no notices: ask ourselves something now and then.
PING_EVERY = timedelta(seconds=10)
PING_WITHIN = timedelta(seconds=3)
RECONNECT_AFTER = timedelta(seconds=1)


class Deaf(Exception):
    """Our own notice did not come back."""


async def listen(database: Database, channels: Sequence[str]) -> None:
    """Deliver what is announced on `channels` until cancelled; reconnect when cut off or deaf.

    Returns at once where there is no direct address: polling is all there is then.
    """
    if database.addresses.direct is None:
        return
    while True:
        try:
            await _hear(database.addresses.session, database.notices, channels)
        except (OperationalError, InterfaceError, TimeoutError, Deaf) as error:
            emit("listen.lost", error=repr(error))
        await asyncio.sleep(RECONNECT_AFTER.total_seconds())


async def _hear(url: str, notices: Notices, channels: Sequence[str]) -> None:
    ping = f"quoth_ping_{uuid.uuid4().hex}"
    async with asyncio.timeout(30):
        connection = await AsyncConnection.connect(url, autocommit=True)
    async with connection:
        for channel in (*channels, ping):
            await connection.execute(SQL("listen {}").format(Identifier(channel)))
        notices.deliver_all()
        while True:
            await _deliver(connection, notices, ping, PING_EVERY)
            async with _hung_up_after(PING_WITHIN, connection):
                await connection.execute(SQL("notify {}").format(Identifier(ping)))
            if not await _deliver(connection, notices, ping, PING_WITHIN):
                raise Deaf


async def _deliver(
    connection: AsyncConnection, notices: Notices, ping: str, at_most: timedelta
) -> bool:
    """Deliver what comes until our own ping does, or `at_most` has passed; say if it came."""
    async with aclosing(connection.notifies(timeout=at_most.total_seconds())) as heard:
        async for notice in heard:
            if notice.channel == ping:
                return True
            notices.deliver(notice.channel, notice.payload)
    return False


@asynccontextmanager
async def _hung_up_after(at_most: timedelta, connection: AsyncConnection) -> AsyncIterator[None]:
    """End what waits for an answer too long, as if the server had hung up.

    A timeout would do it too, but then the driver asks the server to cancel and waits for that.
    """
    timer = asyncio.get_running_loop().call_later(
        at_most.total_seconds(), _hang_up, connection.fileno()
    )
    try:
        yield
    finally:
        timer.cancel()


def _hang_up(number: int) -> None:
    with socket.socket(fileno=os.dup(number)) as line, suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
