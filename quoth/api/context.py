"""What every operation of the API works with."""

import asyncio
from dataclasses import dataclass, field

from starlette.requests import Request

from quoth.accounts.workspace import Workspace
from quoth.capture.engines import Engines
from quoth.storage import Database


@dataclass(frozen=True, slots=True)
class Context:
    """`closing` is set when the process is about to end, so that streams end first."""

    database: Database
    workspace: Workspace
    engines: Engines
    closing: asyncio.Event = field(default_factory=asyncio.Event)


def context_of(request: Request) -> Context:
    """The context of the API that got the request."""
    context: Context = request.app.state.context
    return context
