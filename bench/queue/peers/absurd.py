"""absurd: one connection, as many claims at once as it works, its poll of 0.25 s."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from absurd_sdk import AsyncAbsurd
from psycopg import AsyncConnection

from bench.queue.bodies import BODIES

UNFINISHED = (
    "select exists (select from absurd.t_bench"
    " where state not in ('completed', 'failed', 'cancelled'))"
)
AT_ONCE = 1000


async def setup(url: str) -> None:
    control = str(Path(sys.executable).parent / "absurdctl")
    process = await asyncio.create_subprocess_exec(
        control, "init", "-d", url, stdout=asyncio.subprocess.DEVNULL
    )
    if await process.wait():
        raise RuntimeError("absurdctl init failed")
    absurd = AsyncAbsurd(url, queue_name="bench")
    await absurd.create_queue()
    await absurd.close()


class _Producer:
    def __init__(self, absurd: Any, connection: AsyncConnection) -> None:
        self._absurd = absurd
        self._connection = connection

    async def one(self, body: str, number: int) -> None:
        await self._absurd.spawn(body, number)

    async def many(self, body: str, count: int) -> None:
        """There is no bulk call: many calls a transaction."""
        for first in range(0, count, AT_ONCE):
            async with self._connection.transaction():
                for number in range(first, min(first + AT_ONCE, count)):
                    await self._absurd.spawn(body, number)


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    connection = await AsyncConnection.connect(url, autocommit=True)
    async with connection:
        yield _Producer(_registered(connection), connection)


async def work(url: str, concurrency: int) -> None:
    await _registered(url).start_worker(concurrency=concurrency)


def _registered(connection: AsyncConnection | str) -> Any:
    absurd = AsyncAbsurd(connection, queue_name="bench")
    for body in BODIES:
        absurd.register_task(body)(_task(body))
    return absurd


def _task(body: str) -> Any:
    async def task(number: int, context: Any) -> None:
        await BODIES[body](number)

    return task
