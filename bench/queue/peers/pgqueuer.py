"""pgqueuer: asyncpg, one connection a worker, batches of half its concurrency."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from bench.queue.bodies import BODIES

# What has ended is moved to its log.
UNFINISHED = "select exists (select from pgqueuer)"
AT_ONCE = 1000


async def setup(url: str) -> None:
    connection = await asyncpg.connect(url)
    await Queries(AsyncpgDriver(connection)).install()
    await connection.close()


class _Producer:
    def __init__(self, queries: Any) -> None:
        self._queries = queries

    async def one(self, body: str, number: int) -> None:
        await self._queries.enqueue(body, json.dumps(number).encode(), 0)

    async def many(self, body: str, count: int) -> None:
        for first in range(0, count, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, count))
            payloads = [json.dumps(number).encode() for number in numbers]
            await self._queries.enqueue([body] * len(numbers), payloads, [0] * len(numbers))


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    connection = await asyncpg.connect(url)
    yield _Producer(Queries(AsyncpgDriver(connection)))
    await connection.close()


async def work(url: str, concurrency: int) -> None:
    queue = PgQueuer(AsyncpgDriver(await asyncpg.connect(url)))
    for body in BODIES:
        queue.entrypoint(body)(_entry(body))
    # It wants room for two batches.
    await queue.run(batch_size=max(1, concurrency // 2), max_concurrent_tasks=concurrency)


def _entry(body: str) -> Any:
    async def entry(job: Any) -> None:
        await BODIES[body](json.loads(job.payload))

    return entry
