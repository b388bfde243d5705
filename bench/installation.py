"""An installation to measure: a fresh database, and the product's commands as processes."""

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from quoth.storage.embedded import embedded_server
from quoth.storage.migrate import migrate


@dataclass(frozen=True, slots=True)
class Command:
    """A running command: its process id, and the address it announced ("" where it has none)."""

    pid: int
    url: str


@asynccontextmanager
async def fresh_database() -> AsyncIterator[str]:
    """An embedded server with the product's own, durable settings, and the schema in it."""
    with tempfile.TemporaryDirectory(prefix="quoth-bench-") as folder:
        os.chmod(folder, 0o755)
        async with embedded_server(Path(folder) / "data") as url:
            await migrate(url)
            yield url


@asynccontextmanager
async def simulator(speed: float) -> AsyncIterator[Command]:
    """`quoth simulate`, so many times as fast as the real engines."""
    async with _command("simulate", "--speed", str(speed), announces=True) as command:
        yield command


@asynccontextmanager
async def serve(database_url: str, simulator_url: str) -> AsyncIterator[Command]:
    """`quoth serve`: pages, API and workers, with its defaults."""
    settings = _settings(database_url, simulator_url)
    async with _command("serve", announces=True, settings=settings) as command:
        yield command


@asynccontextmanager
async def work(
    database_url: str, simulator_url: str, *, pool: int, slots: int
) -> AsyncIterator[Command]:
    """`quoth work`: one worker process with a pool, and so many places in each engine's lane."""
    settings = _settings(database_url, simulator_url) | {
        "QUOTH_POOL": str(pool),
        "QUOTH_CHATGPT_SLOTS": str(slots),
        "QUOTH_PERPLEXITY_SLOTS": str(slots),
    }
    async with _command("work", settings=settings) as command:
        # It announces nothing; idle it must be, all its loops begun.
        await asyncio.sleep(2)
        yield command


def _settings(database_url: str, simulator_url: str) -> dict[str, str]:
    return {
        "QUOTH_DATABASE_URL": database_url,
        "QUOTH_SIMULATOR_URL": simulator_url,
        "QUOTH_LISTEN": "127.0.0.1:0",
        "QUOTH_LOG_LEVEL": "error",
    }


@asynccontextmanager
async def _command(
    *words: str, announces: bool = False, settings: dict[str, str] | None = None
) -> AsyncIterator[Command]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("QUOTH_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "quoth.cli.main", *words,
        env={**kept, "QUOTH_CONFIG": os.devnull, "PYTHONUNBUFFERED": "1", **(settings or {})},
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        url = ""
        if announces:
            assert process.stdout is not None
            url = (await process.stdout.readline()).decode().split(" ")[-1].strip().rstrip("/")
            if not url:
                raise RuntimeError(f"quoth {words[0]} did not start")
        yield Command(process.pid, url)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
