"""procrastinate: psycopg with a pool, LISTEN and NOTIFY on, finished jobs kept, as by default."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import procrastinate

from bench.queue.bodies import BODIES

UNFINISHED = "select exists (select from procrastinate_jobs where status in ('todo', 'doing'))"
AT_ONCE = 1000


async def setup(url: str) -> None:
    app, _ = _app(url)
    async with app.open_async():
        await app.schema_manager.apply_schema_async()


class _Producer:
    def __init__(self, tasks: dict[str, Any]) -> None:
        self._tasks = tasks

    async def one(self, body: str, number: int) -> None:
        await self._tasks[body].defer_async(number=number)

    async def many(self, body: str, count: int) -> None:
        for first in range(0, count, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, count))
            await self._tasks[body].batch_defer_async(*({"number": each} for each in numbers))


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    app, tasks = _app(url)
    async with app.open_async():
        yield _Producer(tasks)


async def work(url: str, concurrency: int) -> None:
    app, _ = _app(url)
    async with app.open_async():
        await app.run_worker_async(
            queues=["bench"], concurrency=concurrency, install_signal_handlers=False
        )


def _app(url: str) -> tuple[Any, dict[str, Any]]:
    connector = procrastinate.PsycopgConnector(conninfo=url, min_size=2, max_size=20)
    app = procrastinate.App(connector=connector)
    return app, {
        body: app.task(name=body, queue="bench")(function) for body, function in BODIES.items()
    }
