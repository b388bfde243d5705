"""The queue: what is asked, by whom, what waits, and what has failed."""

from starlette.requests import Request
from starlette.responses import Response

from quoth.queue.desk.look import count_failed, list_failed, load_lanes, load_workers
from quoth.queue.desk.views import MANY, MANY_A_MINUTE
from quoth.web.context import context_of

SHOWN = 50


async def show_queue(request: Request) -> Response:
    """Lanes, workers and the newest failed jobs, from the rows as they are now."""
    context = context_of(request)
    async with context.database.autocommit() as tx:
        lanes, workers = await load_lanes(tx), await load_workers(tx)
        failed, total = await list_failed(tx, limit=SHOWN), await count_failed(tx)
    return context.pages.page(
        request,
        "queue/show.html",
        lanes=lanes,
        workers=workers,
        failed=failed,
        total=total,
        many=MANY,
        many_a_minute=MANY_A_MINUTE,
        title_of=context.engines.title,
        sayings=context.pages.speech(request).sayings,
    )
