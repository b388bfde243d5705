"""A connection of the pool, for a while: a sound one, and only for who still wants it."""

import asyncio
import select
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from psycopg import AsyncConnection, InterfaceError, OperationalError
from psycopg_pool import AsyncConnectionPool


@asynccontextmanager
async def borrowed(
    pool: AsyncConnectionPool, *, within: timedelta | None = None
) -> AsyncIterator[AsyncConnection]:
    """A connection of the pool for the block, sound as far as can be told.

    A task that is cancelled while it waits in line gets a connection all the same when one is
    handed to it just then, and its cancellation is forgotten: it would work on, and whoever
    waits for its end would wait for ever.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    connection = await _sound(pool, pool.timeout if within is None else within.total_seconds())
    try:
        if task and task.cancelling() > before:
            raise asyncio.CancelledError
        async with connection:
            yield connection
    finally:
        await pool.putconn(connection)


async def _sound(pool: AsyncConnectionPool, within: float) -> AsyncConnection:
    """A connection that has not been lost since it was used. Raises `PoolTimeout`.

    Broken ones are given back, and the next is taken at once: left to the pool, each of them would
    cost 1, 2, 4, 8 ... seconds, though sound ones lie beside it.
    """
    clock = asyncio.get_running_loop().time
    until = clock() + within
    while True:
        connection = await pool.getconn(timeout=max(0.0, until - clock()))
        try:
            await _check(connection)
        except (OperationalError, InterfaceError):
            await pool.putconn(connection)
        except BaseException:
            await pool.putconn(connection)
            raise
        else:
            return connection


async def _check(connection: AsyncConnection) -> None:
    """Raise when a connection has been lost since it was used, without a round trip.

    The server says nothing on an idle connection unless it ends it: only where something is there
    to be read is it worth asking.
    """
    if _has_input(connection.fileno()):
        await AsyncConnectionPool.check_connection(connection)


def _has_input(descriptor: int) -> bool:
    if sys.platform == "win32":
        return bool(select.select([descriptor], [], [], 0)[0])
    # `select` cannot look at descriptors from 1,024 on.
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
