"""The simulator as one ASGI application."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quoth.simulator.control import control_routes
from quoth.simulator.engine import World
from quoth.simulator.engines import ENGINES
from quoth.simulator.faults import FaultBook
from quoth.simulator.journal import Journal
from quoth.simulator.ledger import Ledger

MARK = "x-quoth-simulator"


def create_app(*, seed: int = 1, speed: float = 1.0, journal: Path | None = None) -> Starlette:
    """Return all engines and the control endpoints; `app.state.world` is what they share.

    Latencies are divided by `speed`. With a `journal` purchases outlive the process.
    """
    if speed <= 0:
        raise ValueError("the speed factor must be above zero")
    book = Journal(journal) if journal else None
    world = World(seed, speed, Ledger(book), FaultBook())
    routes = [route for engine in ENGINES for route in engine.routes(world)]
    app = Starlette(routes=[*routes, *control_routes(world)], middleware=[Middleware(_Marked)])
    app.state.world = world
    return app


class _Marked:
    """Marks every reply, so that nobody takes it for a real engine's."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[MARK] = "1"
            await send(message)

        await self._app(scope, receive, marked)
