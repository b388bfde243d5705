"""All checks, newest first."""

from starlette.requests import Request
from starlette.responses import Response

from quoth.capture.views.load_check import list_checks
from quoth.web.context import context_of
from quoth.web.forms import read_cursor

AT_ONCE = 50


async def list_page(request: Request) -> Response:
    """The newest checks; `?before=` a check's id goes on from there."""
    context = context_of(request)
    before = read_cursor(request.query_params.get("before"))
    async with context.database.autocommit() as tx:
        # One more than is shown tells whether there are earlier ones.
        checks = await list_checks(tx, context.workspace, limit=AT_ONCE + 1, before=before)
    return context.pages.page(
        request,
        "checks/list.html",
        checks=checks[:AT_ONCE],
        earlier=checks[AT_ONCE - 1].id if len(checks) > AT_ONCE else None,
        newest=before is None,
        title_of=context.engines.title,
    )
