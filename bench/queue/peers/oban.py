"""oban: a pool of 1 to 10 connections, its defaults; it needs Python 3.12."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from oban import Oban, worker
from oban.schema import install

from bench.queue import bodies

UNFINISHED = (
    "select exists (select from oban_jobs"
    " where state in ('available', 'executing', 'scheduled', 'retryable'))"
)
AT_ONCE = 1000


class Noop:
    async def process(self, job: Any) -> None:
        await bodies.noop(job.args["number"])


class Nap:
    async def process(self, job: Any) -> None:
        await bodies.nap(job.args["number"])


class Stamp:
    async def process(self, job: Any) -> None:
        await bodies.stamp(job.args["number"])


class Hang:
    async def process(self, job: Any) -> None:
        await bodies.hang(job.args["number"])


WORKERS = {each.__name__.lower(): worker(queue="bench")(each) for each in (Noop, Nap, Stamp, Hang)}


async def setup(url: str) -> None:
    pool = await Oban.create_pool(url)
    await install(pool)
    await pool.close()


class _Producer:
    def __init__(self, oban: Any) -> None:
        self._oban = oban

    async def one(self, body: str, number: int) -> None:
        await self._oban.enqueue(WORKERS[body].new({"number": number}))

    async def many(self, body: str, count: int) -> None:
        for first in range(0, count, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, count))
            jobs = [WORKERS[body].new({"number": number}) for number in numbers]
            await self._oban.enqueue_many(*jobs)


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    pool = await Oban.create_pool(url)
    yield _Producer(Oban(pool=pool))
    await pool.close()


async def work(url: str, concurrency: int) -> None:
    pool = await Oban.create_pool(url)
    async with Oban(pool=pool, queues={"bench": concurrency}):
        await asyncio.Event().wait()
