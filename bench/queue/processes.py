"""One step of one system as a process of its own, and what it says."""

import asyncio
import json
import os
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from bench.queue.systems import System

SETUP_WITHIN = 60.0
DRAIN_WITHIN = 180.0


class Failed(Exception):
    """The system did not do what it was asked to; the message says what it said."""


class Late(Failed):
    """It may still come."""


class Process:
    """A running step."""

    def __init__(self, process: asyncio.subprocess.Process, errors: Path) -> None:
        self._process = process
        self._errors = errors

    @property
    def peak_mb(self) -> float:
        """The most memory it has had so far."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
        raise Failed("its memory is unknown")

    async def hear(self, fact: str, within: float) -> dict[str, Any]:
        """Wait until it says `fact`; other lines are passed over."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(within):
                while line := await self._process.stdout.readline():
                    said = _read(line)
                    if fact in said:
                        return said
        except TimeoutError:
            raise Late(f"{fact!r} did not come within {within:.0f} s{self._last()}") from None
        raise Failed(f"it ended without {fact!r}{self._last()}")

    async def ask(self, **wish: Any) -> dict[str, Any]:
        """Have a producer enqueue; return when it began and when that was committed."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(wish).encode() + b"\n")
        return await self.hear("committed", DRAIN_WITHIN)

    async def kill(self) -> None:
        """End it as a machine that goes away would."""
        # With whatever it has started: that would hold its end of our pipes.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    def _last(self) -> str:
        lines = [line for line in self._errors.read_text("utf-8", "replace").splitlines() if line]
        return f": {lines[-1][:200]}" if lines else ""


@asynccontextmanager
async def step(system: System, deed: str, url: str, *numbers: int) -> AsyncIterator[Process]:
    """Run it in the system's environment; killed at the end of the block."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("QUOTH_")}
    with tempfile.NamedTemporaryFile(prefix="quoth-bench-") as errors:
        process = await asyncio.create_subprocess_exec(
            str(system.python), "-m", "bench.queue.step",
            system.adapter, deed, url, *map(str, numbers),
            env=kept,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )  # fmt: skip
        running = Process(process, Path(errors.name))
        try:
            yield running
        finally:
            await running.kill()


def _read(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
