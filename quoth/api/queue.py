"""The queue: look at its lanes, workers and failed jobs; pause and resume a lane."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from quoth.api.context import Context, context_of
from quoth.api.problems import documented
from quoth.api.queue_answers import FailedJobsOut, LaneOut, QueueOut, WorkerOut
from quoth.api.requests import STORABLE, PauseIn
from quoth.queue.desk.look import count_failed, list_failed, load_lanes, load_workers
from quoth.queue.lanes import pause_lane, resume_lane
from quoth.storage import NotFound

# A lane's name has a slash in it (`perplexity/agent`); written as %2F or as it is, it is the same.
LaneName = Annotated[
    str,
    Path(pattern=STORABLE, max_length=200, description="As `GET /queue` names it, slash and all."),
]

queue = APIRouter(prefix="/queue", tags=["Queue"])


@queue.get("", response_model=QueueOut, responses=documented(503))
async def get_queue(request: Request) -> Response:
    """Look at the queue: every lane and worker as it is now."""
    async with context_of(request).database.autocommit() as tx:
        lanes, workers = await load_lanes(tx), await load_workers(tx)
        failed = await count_failed(tx)
    return _json(
        QueueOut(
            lanes=[LaneOut.model_validate(lane) for lane in lanes],
            workers=[WorkerOut.model_validate(worker) for worker in workers],
            failed=failed,
        )
    )


@queue.get("/failed", response_model=FailedJobsOut, responses=documented(404, 422, 503))
async def get_failed(
    request: Request,
    lane: Annotated[
        str | None,
        Query(pattern=STORABLE, max_length=200, description="Only those of this lane."),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[
        str | None,
        Query(pattern=r"^[0-9]{1,18}$", description="`next` of the page before this one."),
    ] = None,
) -> Response:
    """List jobs that have failed, the newest first, and why."""
    context = context_of(request)
    if lane is not None:
        await _load(context, lane)
    before = None if cursor is None else int(cursor)
    async with context.database.autocommit() as tx:
        jobs = await list_failed(tx, lane=lane, limit=limit + 1, before=before)
    return _json(FailedJobsOut.of(jobs, limit))


@queue.post(
    "/lanes/{name:path}/pause",
    response_model=LaneOut,
    responses=documented(400, 404, 413, 422, 503),
)
async def post_pause(request: Request, name: LaneName, pause: PauseIn) -> Response:
    """Start no more calls in a lane; those that are out go on. Its jobs wait and say why."""
    context = context_of(request)
    async with context.database.transaction() as tx:
        await pause_lane(tx, name, pause.reason)
    return _json(await _load(context, name))


@queue.post(
    "/lanes/{name:path}/resume", response_model=LaneOut, responses=documented(404, 422, 503)
)
async def post_resume(request: Request, name: LaneName) -> Response:
    """Let calls start again, after a pause or in a cool-down."""
    context = context_of(request)
    async with context.database.transaction() as tx:
        await resume_lane(tx, name)
    return _json(await _load(context, name))


async def _load(context: Context, name: str) -> LaneOut:
    async with context.database.autocommit() as tx:
        lanes = {lane.name: lane for lane in await load_lanes(tx)}
    if name not in lanes:
        raise NotFound(f"lane {name}")
    return LaneOut.model_validate(lanes[name])


def _json(body: BaseModel) -> Response:
    return Response(body.model_dump_json(), 200, {"cache-control": "no-store"}, "application/json")
