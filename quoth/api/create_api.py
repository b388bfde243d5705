"""The API for programs, to be mounted at `/api/v1`."""

import asyncio
from typing import Any

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer

from quoth.accounts.workspace import Workspace
from quoth.api.captures import captures
from quoth.api.checks import PREFIX, checks
from quoth.api.context import Context
from quoth.api.limit_body import LimitBody
from quoth.api.problems import Problem, answer_with_problems
from quoth.api.queue import queue
from quoth.api.requests import LARGEST_BODY
from quoth.capture.engines import Engines
from quoth.storage import Database

ABOUT = """\
Start checks, follow them, read what the engines answered.

Times are ISO 8601 in UTC, amounts are decimal strings, durations are seconds. Errors are
`application/problem+json` (RFC 9457). Where Quoth asks for an access token, send it as
`Authorization: Bearer`.
"""


class Api(FastAPI):
    """FastAPI, whose own description of errors is replaced by ours."""

    def openapi(self) -> dict[str, Any]:
        """Describe the API, with the schema that every problem refers to."""
        described = super().openapi()
        schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        described["components"]["schemas"].update(schema.pop("$defs"), Problem=schema)
        return described


def create_api(
    database: Database,
    workspace: Workspace,
    engines: Engines,
    *,
    closing: asyncio.Event | None = None,
) -> FastAPI:
    """Return the API, to be mounted at `PREFIX`. Its event streams end when `closing` is set."""
    # Who may come in is decided before the API; this only tells the documentation.
    bearer = HTTPBearer(auto_error=False, description="QUOTH_ACCESS_TOKEN, where one is set.")
    api = Api(
        title="Quoth",
        description=ABOUT,
        version="1",
        servers=[{"url": PREFIX}],
        root_path_in_servers=False,
        openapi_url="/openapi.json",
        # The interactive pages would load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(bearer)],
        generate_unique_id_function=lambda route: route.name,
    )
    api.state.context = Context(database, workspace, engines, closing or asyncio.Event())
    api.add_middleware(LimitBody, largest=LARGEST_BODY)
    answer_with_problems(api)
    api.include_router(checks)
    api.include_router(captures)
    api.include_router(queue)
    return api
