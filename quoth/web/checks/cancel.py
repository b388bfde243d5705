"""Cancel a check from its page."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quoth.capture.cancel_check import cancel_check
from quoth.web.context import context_of


async def cancel(request: Request) -> Response:
    """Cancel what is not over, and show the check. A second click changes nothing."""
    context = context_of(request)
    check_id: int = request.path_params["id"]
    await cancel_check(context.database, context.workspace, check_id)
    return RedirectResponse(f"/checks/{check_id}", 303)
