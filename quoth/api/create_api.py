"""The API for programs, to be mounted at `/api/v1`."""

import asyncio

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer

from quoth.accounts.workspace import Workspace
from quoth.api.captures import captures
from quoth.api.checks import PREFIX, checks
from quoth.api.context import Context
from quoth.api.problems import Problem, answer_with_problems
from quoth.api.requests import LARGEST_BODY
from quoth.capture.engines import Engines
from quoth.storage import Database

ABOUT = """\
Start checks, follow them, read what the engines answered.

Times are ISO 8601 in UTC, amounts are decimal strings, durations are seconds. Errors are
`application/problem+json` (RFC 9457). Where Quoth asks for an access token, send it as
`Authorization: Bearer`.
"""


def create_api(
    database: Database,
    workspace: Workspace,
    engines: Engines,
    *,
    closing: asyncio.Event | None = None,
) -> FastAPI:
    """Return the API. Its event streams end when `closing` is set."""
    # Who may come in is decided before the API; this only tells the documentation.
    bearer = HTTPBearer(auto_error=False, description="QUOTH_ACCESS_TOKEN, where one is set.")
    api = FastAPI(
        title="Quoth",
        description=ABOUT,
        version="1",
        root_path=PREFIX,
        openapi_url="/openapi.json",
        # The interactive pages would load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        max_body_size=LARGEST_BODY,
        dependencies=[Depends(bearer)],
        responses={"default": {"model": Problem, "description": "A problem (RFC 9457)."}},
    )
    api.state.context = Context(database, workspace, engines, closing or asyncio.Event())
    answer_with_problems(api)
    api.include_router(checks)
    api.include_router(captures)
    return api
