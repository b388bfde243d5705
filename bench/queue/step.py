"""`python -m bench.queue.step ADAPTER setup|produce|work URL [CONCURRENCY COUNT]`: one process.

It runs in the environment of the system it drives, so it imports nothing of ours.
"""

import asyncio
import json
import logging
import sys
import time
from importlib import import_module
from typing import cast

import uvloop

from bench.queue.adapter import Adapter
from bench.queue.bodies import expect, say


async def _setup(adapter: Adapter, url: str) -> None:
    await adapter.setup(url)
    say(unfinished=adapter.UNFINISHED)


async def _produce(adapter: Adapter, url: str) -> None:
    """Enqueue what is asked for on stdin, a line each, and say when it was committed."""
    async with adapter.producer(url) as producer:
        say(ready=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            began = time.time()
            if "count" in asked:
                await producer.many(asked["body"], asked["count"])
            else:
                await producer.one(asked["body"], asked["number"])
            say(began=began, committed=time.time())


async def _work(adapter: Adapter, url: str, concurrency: int, count: int) -> None:
    expect(count)
    say(begun=time.time())
    await adapter.work(url, concurrency)


def main(name: str, deed: str, url: str, *numbers: str) -> None:
    # Every system is as quiet as ours is here.
    logging.disable(logging.WARNING)
    adapter = cast(Adapter, import_module(name))
    match deed:
        case "setup":
            uvloop.run(_setup(adapter, url))
        case "produce":
            uvloop.run(_produce(adapter, url))
        case "work":
            concurrency, count = map(int, numbers)
            uvloop.run(_work(adapter, url, concurrency, count))
        case _:
            raise SystemExit(f"no such step: {deed}")


if __name__ == "__main__":
    main(*sys.argv[1:])
