"""Checks: start, list, look at, cancel and retry them."""

from typing import Annotated

from fastapi import APIRouter, Body, Header, Path, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from quoth.api.answers import CapturesOut, CheckOut, ChecksOut, RetriedOut
from quoth.api.context import Context, context_of
from quoth.api.event_stream import END, EventStream, check_frames
from quoth.api.problems import documented
from quoth.api.requests import CheckIn, RetryIn
from quoth.capture.cancel_check import cancel_check
from quoth.capture.retry_captures import retry_captures
from quoth.capture.start_check import start_check
from quoth.capture.views.load_check import list_checks, load_check, load_summary
from quoth.capture.views.shapes import CheckSummary

PREFIX = "/api/v1"
LARGEST_ID = 2**63 - 1

CheckId = Annotated[int, Path(ge=1, le=LARGEST_ID)]

checks = APIRouter(prefix="/checks", tags=["Checks"])


@checks.post(
    "",
    status_code=202,
    response_model=CheckOut,
    response_description="The check, and in `Location` where to look at it.",
    responses=documented(400, 409, 413, 422, 503),
)
async def post_check(
    request: Request,
    new: CheckIn,
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1,
            max_length=255,
            pattern=r"^[\x20-\x7e]+$",
            description="The same key and body again give the same check, and start nothing; "
            "the answer then has `Idempotency-Replayed: true`.",
        ),
    ] = None,
) -> Response:
    """Start a check. It is in the database before the answer; the engines are asked afterwards."""
    context = context_of(request)
    started = await start_check(
        context.database, context.workspace, context.engines, new.new_check(idempotency_key)
    )
    check = started.check
    return _accepted(CheckOut.of(check), check.id, replayed=not started.created)


@checks.get("", response_model=ChecksOut, responses=documented(422, 503))
async def get_checks(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[
        str | None,
        Query(pattern=r"^[0-9]{1,18}$", description="`next` of the page before this one."),
    ] = None,
) -> Response:
    """List checks, the newest first."""
    context = context_of(request)
    before = None if cursor is None else int(cursor)
    async with context.database.autocommit() as tx:
        lines = await list_checks(tx, context.workspace, limit=limit + 1, before=before)
    return _json(ChecksOut.of(lines, limit))


@checks.get("/{check_id}", response_model=CheckOut, responses=documented(404, 422, 503))
async def get_check(request: Request, check_id: CheckId) -> Response:
    """Look at a check: its state, its counts, what it has cost so far."""
    return _json(CheckOut.of(await _load(context_of(request), check_id)))


@checks.get("/{check_id}/captures", response_model=CapturesOut, responses=documented(404, 422, 503))
async def get_captures(request: Request, check_id: CheckId) -> Response:
    """Look at all captures of a check."""
    context = context_of(request)
    async with context.database.autocommit() as tx:
        check = await load_check(tx, context.workspace, check_id)
    return _json(CapturesOut.of(check))


@checks.get(
    "/{check_id}/events",
    status_code=200,
    response_class=EventStream,
    responses={
        200: {
            "description": "`progress` events with the check as `GET /checks/{check_id}` gives it: "
            "one at once and one after each change, at most four a second; then `end`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        204: {"description": "The check is over, and `Last-Event-ID` says that you know."},
        **documented(404, 422, 503),
    },
)
async def get_events(
    request: Request, check_id: CheckId, last_event_id: Annotated[str | None, Header()] = None
) -> Response:
    """Follow a check until it is over (server-sent events)."""
    context = context_of(request)
    check = await _load(context, check_id)
    if last_event_id == END and check.state != "running":
        return Response(status_code=204)
    return EventStream(check_frames(context, check_id))


@checks.post(
    "/{check_id}/cancellation",
    status_code=202,
    response_model=CheckOut,
    responses=documented(404, 422, 503),
)
async def post_cancellation(request: Request, check_id: CheckId) -> Response:
    """Cancel what is not over yet. Nothing happens to a check that is."""
    context = context_of(request)
    await cancel_check(context.database, context.workspace, check_id)
    check = await _load(context, check_id)
    return _accepted(CheckOut.of(check), check_id)


@checks.post(
    "/{check_id}/retries",
    status_code=202,
    response_model=RetriedOut,
    responses=documented(400, 404, 413, 422, 503),
)
async def post_retry(
    request: Request, check_id: CheckId, which: Annotated[RetryIn | None, Body()] = None
) -> Response:
    """Ask again what ended without an answer; what was paid for is re-attached first."""
    context = context_of(request)
    captures = None if which is None else which.captures
    retried = await retry_captures(context.database, context.workspace, check_id, captures)
    return _accepted(RetriedOut(check=check_id, retried=retried), check_id)


async def _load(context: Context, check_id: int) -> CheckSummary:
    async with context.database.autocommit() as tx:
        return await load_summary(tx, context.workspace, check_id)


def _json(body: BaseModel) -> Response:
    # Serialised by pydantic at once: FastAPI would validate what we have just made.
    return Response(body.model_dump_json(), 200, {"cache-control": "no-store"}, "application/json")


def _accepted(body: BaseModel, check_id: int, *, replayed: bool = False) -> Response:
    headers = {"cache-control": "no-store", "location": f"{PREFIX}/checks/{check_id}"}
    if replayed:
        headers["idempotency-replayed"] = "true"
    return Response(body.model_dump_json(), 202, headers, "application/json")
