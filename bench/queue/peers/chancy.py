"""chancy: its asyncio executor, eager polling, and a poll of 1 s in place of 5."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from chancy import Chancy, Queue, Worker, job

from bench.queue import bodies

UNFINISHED = (
    "select exists (select from chancy_jobs where state in ('pending', 'running', 'retrying'))"
)
AT_ONCE = 1000


# Its workers find a job's function by its module and name.
async def noop(*, number: int) -> None:
    await bodies.noop(number)


async def nap(*, number: int) -> None:
    await bodies.nap(number)


async def stamp(*, number: int) -> None:
    await bodies.stamp(number)


async def hang(*, number: int) -> None:
    await bodies.hang(number)


JOBS = {each.__name__: job(queue="bench")(each).job for each in (noop, nap, stamp, hang)}


async def setup(url: str) -> None:
    async with Chancy(url) as chancy:
        await chancy.migrate()


class _Producer:
    def __init__(self, chancy: Any) -> None:
        self._chancy = chancy

    async def one(self, body: str, number: int) -> None:
        await self._chancy.push(JOBS[body].with_kwargs(number=number))

    async def many(self, body: str, count: int) -> None:
        jobs = [JOBS[body].with_kwargs(number=number) for number in range(count)]
        async for _ in self._chancy.push_many(jobs, batch_size=AT_ONCE):
            pass


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    async with Chancy(url) as chancy:
        yield _Producer(chancy)


async def work(url: str, concurrency: int) -> None:
    async with Chancy(url) as chancy:
        queue = Queue(
            "bench",
            concurrency=concurrency,
            executor=Chancy.Executor.Async,
            eager_polling=True,
            polling_interval=1,
        )
        await chancy.declare(queue, upsert=True)
        async with Worker(chancy) as worker:
            await worker.wait_for_shutdown()
