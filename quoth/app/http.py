"""Pages and API over HTTP, behind the guard, until told to stop."""

import asyncio
import socket
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from quoth.accounts.access import AccessRules
from quoth.accounts.guard import Guard
from quoth.accounts.workspace import Workspace
from quoth.api.checks import PREFIX
from quoth.api.create_api import create_api
from quoth.app.errors import CannotStart
from quoth.app.metrics import metrics_of
from quoth.capture.engines import Engines
from quoth.settings.listen import Listen
from quoth.settings.values import Settings
from quoth.storage import Database
from quoth.web.create_pages import create_pages

# Streams end at once when we stop; a request that is being answered may take this long.
LAST_ANSWERS = 5


async def serve_http(  # noqa: PLR0913 - what is served, and its beginning and end
    settings: Settings,
    database: Database,
    workspace: Workspace,
    engines: Engines,
    *,
    stop: asyncio.Event,
    ready: Callable[[str], None],
) -> None:
    """Serve until `stop`; `ready` hears the address. Raises `CannotStart` if it is taken."""
    rules = AccessRules(settings.access_token, settings.hosts, loopback=settings.listen.is_loopback)
    doors = create_doors(database, workspace, engines, rules, closing=stop)
    with closing(_listen(settings.listen)) as listener:
        server = _Server(_config(doors))
        serving = asyncio.create_task(server.serve([listener]))
        ready(Listen(settings.listen.host, listener.getsockname()[1]).url)
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        server.should_exit = True
        await serving


def create_doors(
    database: Database,
    workspace: Workspace,
    engines: Engines,
    rules: AccessRules,
    *,
    closing: asyncio.Event,
) -> ASGIApp:
    """Everything that can be asked over HTTP, as one guarded application."""
    api = create_api(database, workspace, engines, closing=closing)
    pages = create_pages(
        database, workspace, engines, rules if rules.sign_in_needed else None, closing=closing
    )
    routes = [
        Route("/healthz", _alive),
        Route("/metrics", metrics_of(database)),
        Mount(PREFIX, api),
        Mount("/", pages),
    ]
    return Guard(Starlette(routes=routes), rules)


async def _alive(request: Request) -> PlainTextResponse:
    return PlainTextResponse("ok\n")


def _listen(listen: Listen) -> socket.socket:
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        listener = socket.create_server((listen.host, listen.port), family=family, backlog=1024)
    except OSError as error:
        raise CannotStart(
            f"Cannot listen on {listen}: {error.strerror}. Perhaps Quoth runs there already; "
            "else set QUOTH_LISTEN."
        ) from error
    # What is accepted inherits it. Without it, and without uvloop, an event of a few bytes would
    # wait up to 40 ms for the other side's acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=LAST_ANSWERS,
    )


class _Server(uvicorn.Server):
    """Leaves the process's signals to the application."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield
