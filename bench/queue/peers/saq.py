"""saq: its PostgreSQL queue with its pool of 4 to 20; a job may take a minute, not 10 s."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from saq import Queue, Worker

from bench.queue.bodies import BODIES

UNFINISHED = (
    "select exists (select from saq_jobs where status in ('new', 'deferred', 'queued', 'active'))"
)
AT_ONCE = 1000
# By default a job that lost its worker would not be tried again at all.
OPTIONS = {"timeout": 60, "retries": 3}


async def setup(url: str) -> None:
    queue = Queue.from_url(url)
    await queue.connect()
    await queue.disconnect()


class _Producer:
    def __init__(self, queue: Any) -> None:
        self._queue = queue

    async def one(self, body: str, number: int) -> None:
        await self._queue.enqueue(body, number=number, **OPTIONS)

    async def many(self, body: str, count: int) -> None:
        """There is no bulk call: as many at once as its pool lets through."""
        for first in range(0, count, AT_ONCE):
            await asyncio.gather(
                *(self.one(body, number) for number in range(first, min(first + AT_ONCE, count)))
            )


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    queue = Queue.from_url(url)
    await queue.connect()
    yield _Producer(queue)
    await queue.disconnect()


async def work(url: str, concurrency: int) -> None:
    queue = Queue.from_url(url)
    functions = [(body, _function(body)) for body in BODIES]
    worker = Worker(queue, functions=functions, concurrency=concurrency)
    worker.SIGNALS = []
    await queue.connect()
    await worker.start()


def _function(body: str) -> Any:
    async def function(context: Any, *, number: int) -> None:
        await BODIES[body](number)

    return function
