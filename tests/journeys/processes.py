"""Real processes of the product on one database, and what is left in it afterwards."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from quoth.simulator.serve import Simulator
from quoth.storage import Database, Statement
from quoth.storage.addresses import Addresses

OUTCOMES = Statement(b"select coalesce(outcome, 'open') from capture.capture order by id")
ANSWERS = Statement(b"select count(*) from capture.answer")
CHECKS = Statement(b"select count(*) from capture.check_run")
ADMITTED = Statement(b"select count(*) from capture.attempt where possibly_paid")
CRASHES = Statement(b"select coalesce(sum(crashes), 0) from queue.job")


@dataclass(frozen=True, slots=True)
class Left:
    """What the rows say."""

    outcomes: list[str]
    answers: int
    checks: int
    admitted: int
    crashes: int


async def look(database: Database) -> Left:
    async with database.autocommit() as tx:
        return Left(
            await tx.values(OUTCOMES),
            (await tx.values(ANSWERS))[0],
            (await tx.values(CHECKS))[0],
            (await tx.values(ADMITTED))[0],
            int((await tx.values(CRASHES))[0]),
        )


async def until_over(database: Database, captures: int) -> Left:
    """Wait until so many captures have an outcome each."""
    async with asyncio.timeout(60):
        while True:
            left = await look(database)
            if len(left.outcomes) == captures and "open" not in left.outcomes:
                return left
            await asyncio.sleep(0.1)


class Processes:
    """Starts processes of the product on one database. `compiled` keeps their byte code."""

    def __init__(self, addresses: Addresses, compiled: Path) -> None:
        # Fifty starts compile once, also where writing into the tree is turned off.
        left_out = ("QUOTH_", "PYTHONDONTWRITEBYTECODE")
        kept = {name: text for name, text in os.environ.items() if not name.startswith(left_out)}
        self._environment = {
            **kept,
            "QUOTH_CONFIG": os.devnull,
            "QUOTH_DATABASE_URL": addresses.pooled,
            "QUOTH_DATABASE_DIRECT_URL": addresses.direct or "none",
            "QUOTH_LISTEN": "127.0.0.1:0",
            "PYTHONPYCACHEPREFIX": str(compiled),
            "PYTHONUNBUFFERED": "1",
        }
        self._started: list[Process] = []

    async def start(
        self, *arguments: str, asking: Simulator, module: str = "quoth.cli.main", **settings: str
    ) -> Process:
        """Start `quoth` with these arguments; its standard output is a pipe."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, *arguments,
            env={**self._environment, "QUOTH_SIMULATOR_URL": asking.url, **settings},
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        self._started.append(process)
        return process

    async def end(self) -> None:
        """Kill what still runs, children included."""
        # All before the first wait: an end that is itself cut short leaves nobody either.
        for process in self._started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self._started:
            await process.wait()


async def address_of(server: Process) -> str:
    """Wait until a started `quoth serve` says where it is."""
    assert server.stdout
    async with asyncio.timeout(60):
        line = (await server.stdout.readline()).decode()
    return line.split()[-1].rstrip("/")
