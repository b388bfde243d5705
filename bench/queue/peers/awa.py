"""awa: its Rust core, its own storage engine and poll of 0.2 s, as a fresh installation has it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import awa

from bench.queue.bodies import BODIES

# To ask its view of the jobs takes longer than to work them off; so the end of its last handler
# stands for the end, in its favour.
UNFINISHED = "select false"
AT_ONCE = 1000


@dataclass
class Noop:
    number: int


@dataclass
class Nap:
    number: int


@dataclass
class Stamp:
    number: int


@dataclass
class Hang:
    number: int


JOBS = {each.__name__.lower(): each for each in (Noop, Nap, Stamp, Hang)}


async def setup(url: str) -> None:
    async with awa.AsyncClient(_said_apart(url)) as client:
        await client.migrate()
        # The first start of a worker is what gives a fresh installation its storage engine.
        client.task(Noop, queue="bench")(_task("noop"))
        await client.start([("bench", 1)])
        await asyncio.sleep(1.5)
        await client.shutdown()


class _Producer:
    def __init__(self, client: Any) -> None:
        self._client = client

    async def one(self, body: str, number: int) -> None:
        await self._client.insert(JOBS[body](number), queue="bench")

    async def many(self, body: str, count: int) -> None:
        for first in range(0, count, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, count))
            jobs = [JOBS[body](number) for number in numbers]
            await self._client.enqueue_many_copy(jobs, queue="bench")


@asynccontextmanager
async def producer(url: str) -> AsyncIterator[_Producer]:
    async with awa.AsyncClient(_said_apart(url)) as client:
        yield _Producer(client)


async def work(url: str, concurrency: int) -> None:
    client = awa.AsyncClient(_said_apart(url))
    for body, arguments in JOBS.items():
        client.task(arguments, queue="bench")(_task(body))
    await client.start([("bench", concurrency)])
    await asyncio.Event().wait()


def _task(body: str) -> Any:
    async def task(job: Any) -> None:
        await BODIES[body](job.args.number)

    return task


def _said_apart(url: str) -> str:
    """Its driver takes no user before an empty host."""
    parts = urlsplit(url)
    query = f"{parts.query}&user={parts.username}"
    return urlunsplit(parts._replace(netloc="", query=query)).replace(":/", ":///", 1)
