"""`python -m bench [NAME ...]`: measure all, or what is named; write `results.json` and `.md`."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable

from bench.accept import accept
from bench.capture import makespan, memory, pickup
from bench.installation import fresh_database
from bench.results import Result, keep
from quoth.storage import Database, Statement

BENCHMARKS: dict[str, Callable[[], AsyncIterator[Result]]] = {
    "accept": accept,
    "pickup": pickup,
    "makespan": makespan,
    "memory": memory,
}
VERSION = Statement(b"select current_setting('server_version')")


async def main(names: list[str]) -> None:
    if unknown := set(names) - BENCHMARKS.keys():
        raise SystemExit(
            f"no such benchmark: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}"
        )
    async with fresh_database() as url, Database.open(url) as database, database.autocommit() as tx:
        [postgresql] = await tx.values(VERSION)
    for name in names or BENCHMARKS:
        async for result in BENCHMARKS[name]():
            keep(result, postgresql)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
