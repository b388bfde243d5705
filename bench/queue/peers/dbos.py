"""dbos: a queue polled each 0.1 s in place of 1 s, workflows without steps."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSClient

from bench.queue.bodies import BODIES

UNFINISHED = (
    "select exists (select from dbos.workflow_status"
    " where status in ('ENQUEUED', 'PENDING', 'DELAYED'))"
)
AT_ONCE = 1000
POLL = 0.1


async def setup(url: str) -> None:
    await _launch(url, concurrency=10)
    await asyncio.to_thread(DBOS.destroy)


class _Producer:
    def __init__(self, url: str) -> None:
        self._client = DBOSClient(system_database_url=_with_driver(url))
        self._engine = sqlalchemy.create_engine(_with_driver(url))

    async def one(self, body: str, number: int) -> None:
        await self._client.enqueue_async(_options(body), number)

    async def many(self, body: str, count: int) -> None:
        """There is no bulk call: many calls a transaction."""
        for first in range(0, count, AT_ONCE):
            with self._engine.begin() as connection:
                for number in range(first, min(first + AT_ONCE, count)):
                    self._client.enqueue_in_transaction(connection, _options(body), number)


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    yield _Producer(url)


async def work(url: str, concurrency: int) -> None:
    await _launch(url, concurrency)
    await asyncio.Event().wait()


async def _launch(url: str, concurrency: int) -> None:
    config = {
        "name": "bench",
        "system_database_url": _with_driver(url),
        "log_level": "CRITICAL",
        "run_admin_server": False,
    }
    DBOS(config=config)
    for body in BODIES:
        DBOS.workflow(name=body)(_workflow(body))
    await asyncio.to_thread(DBOS.launch)
    await DBOS.register_queue_async(
        "bench",
        worker_concurrency=concurrency,
        polling_interval_sec=POLL,
        on_conflict="always_update",
    )


def _workflow(body: str) -> Any:
    async def workflow(number: int) -> None:
        await BODIES[body](number)

    return workflow


def _options(body: str) -> dict[str, str]:
    return {"queue_name": "bench", "workflow_name": body}


def _with_driver(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://", 1)
