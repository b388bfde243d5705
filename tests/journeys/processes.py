"""Real processes of the product on one database, and what is left in it afterwards."""

import asyncio
import os
import sys
from dataclasses import dataclass

from quoth.simulator.serve import Simulator
from quoth.storage import Database, Statement

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


async def start(
    *arguments: str, database_url: str, simulator: Simulator
) -> asyncio.subprocess.Process:
    """Start `quoth` with these arguments; its standard output is a pipe."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("QUOTH_")}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "quoth.cli.main", *arguments,
        env={
            **kept,
            "QUOTH_CONFIG": os.devnull,
            "QUOTH_DATABASE_URL": database_url,
            "QUOTH_SIMULATOR_URL": simulator.url,
            "QUOTH_LISTEN": "127.0.0.1:0",
            "PYTHONUNBUFFERED": "1",
        },
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def address_of(server: asyncio.subprocess.Process) -> str:
    """Wait until a started `quoth serve` says where it is."""
    assert server.stdout
    async with asyncio.timeout(60):
        line = (await server.stdout.readline()).decode()
    return line.split()[-1].rstrip("/")
