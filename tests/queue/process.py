"""A worker in a process of its own: `python -m tests.queue.process POOL DATABASE_URL DIRECT_URL`.

The direct address is `none` where there is none. Its jobs do what their payload says: `sleep` so
many seconds (a call that may be out all that time, written down first), `wait` so many (for what
was bought, its id kept), `die` (end the whole process), `block` (hold the event loop, not the
interpreter). Each start is written to standard output: `start KEY SECONDS-SINCE-THE-EPOCH`.
"""

import asyncio
import os
import signal
import sys
import time
from datetime import timedelta

from quoth.loops import background
from quoth.queue.channels import JOBS_CANCELLED, JOBS_READY
from quoth.queue.job import Done, Held, Kind, Outcome
from quoth.queue.worker import Pace, Worker
from quoth.storage import Database, Transaction
from quoth.storage.addresses import Addresses
from quoth.storage.listen import listen
from tests.queue.harness import LANE, Endings

CALL = timedelta(seconds=30)


async def nothing(tx: Transaction) -> None:
    """Nothing to save."""


async def handle(held: Held) -> Outcome:
    does, seconds = held.job.payload["does"], held.job.payload.get("seconds", 0)
    os.write(1, f"start {held.job.payload['key']} {time.time()}\n".encode())
    if does == "die":
        os._exit(1)
    if does == "block":
        time.sleep(seconds)  # noqa: ASYNC251 - this is what it is for
    if does in ("sleep", "wait"):
        await held.start(nothing, call=CALL)
        if does == "wait":
            await held.checkpoint(nothing)
        await asyncio.sleep(seconds)
    return Done(nothing)


async def main(pool: int, addresses: Addresses) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with (
        Database.open(addresses) as database,
        background(listen(database, [JOBS_READY, JOBS_CANCELLED])),
    ):
        kind = Kind("test", handle, Endings())
        await Worker(database, [kind], [LANE], version="test", pace=Pace(pool=pool)).run(stop)


if __name__ == "__main__":
    _, given_pool, pooled, direct = sys.argv
    given = Addresses(pooled, None if direct == "none" else direct)
    asyncio.run(main(int(given_pool), given))
