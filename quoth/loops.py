"""How long-lived work waits, repeats and ends."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

Failed = Callable[[str, Exception], None]


@asynccontextmanager
async def background(work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run `work` beside the block; it ends with the block.

    If `work` fails first, the failure is raised when the block ends.
    """
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def every(
    period: timedelta, work: Callable[[], Awaitable[object]], *, failed: Failed
) -> None:
    """Do `work` each `period` (spread by a fifth, so that processes drift apart) until cancelled.

    A turn that fails is told to `failed`, with the work's name, and the next turn comes.
    """
    while True:
        await asyncio.sleep(period.total_seconds() * random.uniform(0.8, 1.2))  # noqa: S311
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - the loop outlives any one turn
            failed(getattr(work, "__qualname__", repr(work)), error)


async def first_of(*events: asyncio.Event, at_most: timedelta) -> None:
    """Wait until one of `events` is set, or `at_most` has passed."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(
            waits, timeout=at_most.total_seconds(), return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
