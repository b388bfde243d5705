"""Ask again what ended without an answer, from the page of a check or of one capture."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quoth.capture.retry_captures import retry_captures
from quoth.web.context import context_of
from quoth.web.forms import read_form


async def retry(request: Request) -> Response:
    """Retry the captures named by the form, or all that can be; then show the check."""
    context = context_of(request)
    check_id: int = request.path_params["id"]
    named = (await read_form(request)).all("capture")
    if not all(each.isascii() and each.isdecimal() and len(each) < 19 for each in named):
        raise HTTPException(400)
    captures = [int(each) for each in named] or None
    await retry_captures(context.database, context.workspace, check_id, captures)
    return RedirectResponse(f"/checks/{check_id}", 303)
