"""The queue: what is asked, by whom, what waits, and what has failed."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quoth.capture.jobs import capture_of
from quoth.queue.desk.look import count_failed, list_failed, load_lanes, load_workers
from quoth.queue.desk.views import MANY, MANY_A_MINUTE
from quoth.web.context import context_of
from quoth.web.forms import read_cursor

AT_ONCE = 50


async def show_queue(request: Request) -> Response:
    """Lanes, workers and the newest failed jobs, from the rows as they are now.

    `?lane=` shows the failed jobs of one lane, `?before=` a job's id goes on from there.
    """
    context = context_of(request)
    lane = request.query_params.get("lane")
    before = read_cursor(request.query_params.get("before"))
    async with context.database.autocommit() as tx:
        lanes, workers = await load_lanes(tx), await load_workers(tx)
        if lane is not None and lane not in [each.name for each in lanes]:
            raise HTTPException(404)
        # One more than is shown tells whether there are earlier ones.
        failed = await list_failed(tx, lane=lane, limit=AT_ONCE + 1, before=before)
        total = await count_failed(tx)
    return context.pages.page(
        request,
        "queue/show.html",
        lanes=lanes,
        workers=workers,
        failed=failed[:AT_ONCE],
        earlier=failed[AT_ONCE - 1].id if len(failed) > AT_ONCE else None,
        newest=before is None,
        lane=lane,
        none_chosen="unchosen" in request.query_params,
        total=total,
        many=MANY,
        many_a_minute=MANY_A_MINUTE,
        capture_of=capture_of,
        sayings=context.pages.speech(request).sayings,
    )
