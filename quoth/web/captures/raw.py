"""The engine's reply as it came, for whoever doubts how we read it."""

from starlette.requests import Request
from starlette.responses import Response

from quoth.capture.views.load_answer import load_raw
from quoth.web.context import context_of

# Whatever it says, it is text: nothing in it may run, load or be taken for a page of ours.
HEADERS = {"content-security-policy": "default-src 'none'; sandbox"}


async def show_raw(request: Request) -> Response:
    """The body, byte by byte, as plain text."""
    context = context_of(request)
    capture_id: int = request.path_params["id"]
    async with context.database.autocommit() as tx:
        raw = await load_raw(tx, context.workspace, capture_id)
    disposition = f'inline; filename="capture-{capture_id}.txt"'
    headers = {**HEADERS, "content-disposition": disposition}
    return Response(raw.body, 200, headers, "text/plain; charset=utf-8")
