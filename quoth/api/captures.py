"""Captures: what an engine answered."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from quoth.api.answers import AnswerOut
from quoth.api.context import context_of
from quoth.api.problems import documented
from quoth.capture.views.load_answer import load_answer

captures = APIRouter(prefix="/captures", tags=["Captures"])


@captures.get("/{capture_id}", response_model=AnswerOut, responses=documented(404, 422, 503))
async def get_capture(
    request: Request, capture_id: Annotated[int, Path(ge=1, le=2**63 - 1)]
) -> Response:
    """Look at a capture: its answer, who is named in it, its sources, and every attempt."""
    context = context_of(request)
    async with context.database.autocommit() as tx:
        answer = await load_answer(tx, context.workspace, capture_id)
    body = AnswerOut.model_validate(answer).model_dump_json()
    return Response(body, 200, {"cache-control": "no-store"}, "application/json")
