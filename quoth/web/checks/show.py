"""One check: how far it is, who was named, and every cell."""

from starlette.requests import Request
from starlette.responses import Response

from quoth.capture.views.load_check import load_check
from quoth.capture.views.shapes import CheckView
from quoth.providers.contract import SIMULATOR
from quoth.web.checks.matrix import progress_of, rows_of, standings_of
from quoth.web.context import Context, context_of


async def show_check(request: Request) -> Response:
    """The page as things stand; while the check runs, it then follows the events."""
    context = context_of(request)
    check = await look(context, request.path_params["id"])
    return context.pages.page(
        request,
        "checks/show.html",
        check=check,
        rows=rows_of(check),
        standings=standings_of(check),
        progress=progress_of(check),
        simulated=is_simulated(check),
    )


async def look(context: Context, check_id: int) -> CheckView:
    """The check as its rows are now. Raises `NotFound`."""
    async with context.database.autocommit() as tx:
        return await load_check(tx, context.workspace, check_id)


def is_simulated(check: CheckView) -> bool:
    """Whether any of it was asked of the simulator."""
    return any(engine.surface == SIMULATOR for engine in check.engines)
