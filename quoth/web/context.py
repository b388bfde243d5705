"""What every page works with."""

import asyncio
from dataclasses import dataclass

from starlette.requests import Request

from quoth.accounts.access import AccessRules
from quoth.accounts.workspace import Workspace
from quoth.capture.engines import Engines
from quoth.storage import Database
from quoth.web.pages import Pages


@dataclass(frozen=True, slots=True)
class Context:
    """`access` None: nobody needs to sign in. `closing` is set when the process is to end."""

    database: Database
    workspace: Workspace
    engines: Engines
    access: AccessRules | None
    pages: Pages
    closing: asyncio.Event


def context_of(request: Request) -> Context:
    """The context of the application that got the request."""
    context: Context = request.app.state.context
    return context
