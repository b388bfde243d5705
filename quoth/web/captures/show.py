"""One answer: what the engine said, who is named where, what it cites, and what it cost."""

from starlette.requests import Request
from starlette.responses import Response

from quoth.capture.views.load_answer import load_answer
from quoth.providers.contract import SIMULATOR
from quoth.web.captures.render_answer import LONGEST, render_answer
from quoth.web.checks.matrix import RETRIED
from quoth.web.context import context_of


async def show_capture(request: Request) -> Response:
    """The answer page. A capture without an answer says where it is, or why there is none."""
    context = context_of(request)
    async with context.database.autocommit() as tx:
        answer = await load_answer(tx, context.workspace, request.path_params["id"])
    return context.pages.page(
        request,
        "captures/show.html",
        answer=answer,
        capture=answer.capture,
        html=None if answer.text is None else render_answer(answer.text, answer.mentions),
        cut=answer.text is not None and len(answer.text) > LONGEST,
        simulated=answer.engine.surface == SIMULATOR,
        retriable=answer.capture.outcome in RETRIED,
        used=[citation for citation in answer.citations if citation.used],
        consulted=[citation for citation in answer.citations if not citation.used],
    )
