"""What a person does with the queue from its page."""

from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quoth.capture.retry_captures import TRIED_AGAIN
from quoth.queue.desk.failed import NoRetry, Which, discard_failed, retry_failed
from quoth.queue.desk.views import LONGEST_REASON
from quoth.queue.lanes import pause_lane, resume_lane
from quoth.storage import NotFound
from quoth.web.context import context_of
from quoth.web.forms import Form, read_form


async def pause(request: Request) -> Response:
    """Start no more calls in a lane; its jobs wait, with the reason beside them."""
    form = await read_form(request)
    reason = form.one("reason").strip()[:LONGEST_REASON]
    if not reason or "\0" in reason:
        raise HTTPException(400)
    try:
        async with context_of(request).database.transaction() as tx:
            await pause_lane(tx, _lane(form), reason)
    except NotFound as error:
        raise HTTPException(404) from error
    return RedirectResponse("/queue", 303)


async def resume(request: Request) -> Response:
    """Let calls start again."""
    form = await read_form(request)
    try:
        async with context_of(request).database.transaction() as tx:
            await resume_lane(tx, _lane(form))
    except NotFound as error:
        raise HTTPException(404) from error
    return RedirectResponse("/queue", 303)


async def retry_jobs(request: Request) -> Response:
    """Try failed jobs again: those that are named, or all."""
    form = await read_form(request)
    which = _which(form)
    if which is not None:
        try:
            await retry_failed(context_of(request).database, TRIED_AGAIN, which)
        except NoRetry as error:
            raise HTTPException(409) from error
    return _back(form, which)


async def discard_jobs(request: Request) -> Response:
    """Forget failed jobs: those that are named, or all."""
    form = await read_form(request)
    which = _which(form)
    if which is not None:
        await discard_failed(context_of(request).database, which)
    return _back(form, which)


def _lane(form: Form) -> str:
    lane = form.one("lane")
    if "\0" in lane:
        raise HTTPException(400)
    return lane


def _which(form: Form) -> Which | None:
    """Those that are meant; None where nobody chose any."""
    if form.one("all"):
        return Which(lane=_lane(form) or None)
    ids = form.all("job")
    if not all(each.isascii() and each.isdecimal() and len(each) < 19 for each in ids):
        raise HTTPException(400)
    return Which([int(each) for each in ids]) if ids else None


def _back(form: Form, which: Which | None) -> Response:
    """To the list from which the form was sent."""
    query = {"lane": form.one("lane")} if form.one("lane") else {}
    if which is None:
        query["unchosen"] = "yes"
    return RedirectResponse(f"/queue?{urlencode(query)}#failed-title" if query else "/queue", 303)
