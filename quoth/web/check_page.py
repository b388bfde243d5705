"""GET /checks/{id}: the matrix of prompts and engines, as the rows say it is."""

from collections import defaultdict
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quoth.capture.cancel_check import cancel_check
from quoth.capture.load_check import load_check
from quoth.capture.retry_captures import retry_captures
from quoth.capture.views import CaptureView, CheckView
from quoth.web.pages import House

Cells = Mapping[tuple[int, str], list[CaptureView]]


async def check_page(house: House, request: Request) -> Response:
    """The whole page; what changes later comes by `check_events`."""
    check = await look(house, request.path_params["check_id"])
    return house.page(request, "check.html", check=check, cells=cells_of(check))


async def cancel(house: House, request: Request) -> Response:
    """Stop what has not been answered yet."""
    check_id = request.path_params["check_id"]
    await cancel_check(house.database, house.workspace, check_id)
    return RedirectResponse(f"/checks/{check_id}", status_code=303)


async def retry(house: House, request: Request) -> Response:
    """Ask again what failed."""
    check_id = request.path_params["check_id"]
    await retry_captures(house.database, house.workspace, check_id, None)
    return RedirectResponse(f"/checks/{check_id}", status_code=303)


async def look(house: House, check_id: int) -> CheckView:
    """Read the check as it is now."""
    async with house.database.autocommit() as tx:
        return await load_check(tx, house.workspace, check_id)


def cells_of(check: CheckView) -> Cells:
    """The samples of each cell, by prompt and engine."""
    cells: defaultdict[tuple[int, str], list[CaptureView]] = defaultdict(list)
    for capture in check.captures:
        cells[capture.prompt_id, capture.engine].append(capture)
    return cells
