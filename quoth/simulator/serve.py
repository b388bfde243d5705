"""Serves the simulator over real HTTP."""

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from quoth.simulator.app import create_app
from quoth.simulator.engine import World
from quoth.simulator.engines import ENGINES
from quoth.simulator.network.connection import ReachableProtocol

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Simulator:
    """A simulator that is being served at `url`."""

    url: str
    world: World

    def url_of(self, engine: str) -> str:
        """Return what stands for the base URL of an engine's API."""
        [base] = [known.base for known in ENGINES if known.name == engine]
        return self.url + base

    @property
    def openai_url(self) -> str:
        """What stands for `https://api.openai.com/v1`."""
        return self.url_of("chatgpt")

    @property
    def perplexity_url(self) -> str:
        """What stands for `https://api.perplexity.ai`."""
        return self.url_of("perplexity")


@asynccontextmanager
async def serve_simulator(
    *,
    host: str = HOST,
    port: int = 0,
    seed: int = 1,
    speed: float = 1.0,
    journal: Path | None = None,
) -> AsyncIterator[Simulator]:
    """Serve in this loop until the block ends; then every open connection is broken.

    Port 0 is any free one. Raises `OSError` if the address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.create_server((host, port), family=family, backlog=2048)) as listener:
        app = create_app(seed=seed, speed=speed, journal=journal)
        world: World = app.state.world
        server = _Server(_config(app))
        serving = asyncio.create_task(server.serve([listener]))
        shown = f"[{host}]" if ":" in host else host
        try:
            yield Simulator(f"http://{shown}:{listener.getsockname()[1]}", world)
        finally:
            server.should_exit = True
            await serving
            world.ledger.close()


def run_simulator(
    simulator: AbstractAsyncContextManager[Simulator], *, ready: Callable[[Simulator], None]
) -> None:
    """Serve in a process of its own until SIGINT or SIGTERM; `ready` hears where.

    `simulator` is what `serve_simulator` returns.
    """

    async def run() -> None:
        async with simulator as served:
            ready(served)
            await _told_to_stop()

    with suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=_loop()) as runner:
        runner.run(run())


async def _told_to_stop() -> None:
    stop = asyncio.Event()
    if sys.platform != "win32":
        for told in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(told, stop.set)
    await stop.wait()


def _loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - there is none for Windows

    return uvloop.new_event_loop


def _config(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=ReachableProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        server_header=False,
        timeout_keep_alive=75,
    )


class _Server(uvicorn.Server):
    """Leaves the process's signals alone and does not wait for replies that never come."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listening in self.servers:
            listening.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)
