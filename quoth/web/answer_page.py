"""GET /captures/{id}: one answer with all that it rests on."""

from starlette.requests import Request
from starlette.responses import Response

from quoth.capture.load_answer import load_answer, load_raw
from quoth.web.markdown import render_answer
from quoth.web.pages import House


async def answer_page(house: House, request: Request) -> Response:
    """The answer as it was given, brands marked, sources and attempts listed."""
    async with house.database.autocommit() as tx:
        answer = await load_answer(tx, house.workspace, request.path_params["capture_id"])
    shown = None if answer.text is None else render_answer(answer.text, answer.mentions)
    return house.page(request, "answer.html", answer=answer, shown=shown)


async def raw_body(house: House, request: Request) -> Response:
    """The engine's reply, byte for byte; never shown as a page."""
    capture_id = request.path_params["capture_id"]
    async with house.database.autocommit() as tx:
        raw = await load_raw(tx, house.workspace, capture_id)
    return Response(
        raw.body,
        media_type="text/plain; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="capture-{capture_id}.txt"'},
    )
