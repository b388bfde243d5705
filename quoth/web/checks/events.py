"""The check page, live: the fragments that changed are sent again, as server-sent events."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Send

from quoth.capture.views.follow_check import follow_check
from quoth.capture.views.shapes import CheckView
from quoth.storage import DatabaseUnavailable
from quoth.web.checks.matrix import Cell, progress_of, rows_of, standings_of
from quoth.web.checks.show import look
from quoth.web.context import Context, context_of
from quoth.web.pages import Speech

HEARTBEAT = ": nothing new\n\n"
END = "event: end\ndata: over\n\n"


async def check_events(request: Request) -> Response:
    """Follow the check until it is over. A database that is away only ends the stream."""
    context = context_of(request)
    check_id: int = request.path_params["id"]
    try:
        await look(context, check_id)
    except DatabaseUnavailable:
        # A stream that ends is asked for again; a refusal would not be.
        return EventStream(_nothing())
    return EventStream(frames(context, context.pages.speech(request), check_id))


class EventStream(StreamingResponse):
    """A stream whose generator is closed with the response, whoever ends it."""

    def __init__(self, frames: AsyncGenerator[str, None]) -> None:
        headers = {"x-accel-buffering": "no"}
        super().__init__(frames, headers=headers, media_type="text/event-stream")
        self._frames = frames

    async def stream_response(self, send: Send) -> None:
        """Send what the generator gives, and close it."""
        async with aclosing(self._frames):
            await super().stream_response(send)


async def frames(context: Context, speech: Speech, check_id: int) -> AsyncGenerator[str, None]:
    """The whole truth first, then what changed of it, then the end."""
    shown: CheckView | None = None
    async with aclosing(follow_check(context.database, check_id, context.closing)) as looks:
        async for _ in looks:
            try:
                check = await look(context, check_id)
            except DatabaseUnavailable:
                return
            parts = list(_changed(context, speech, check, shown))
            yield _message("".join(parts)) if parts else HEARTBEAT
            shown = check
            if check.state != "running":
                # Without the element that listens nobody comes back for more.
                yield _message(_partial("#live", "delete", ""))
                yield END
                return


def _changed(
    context: Context, speech: Speech, check: CheckView, shown: CheckView | None
) -> Iterator[str]:
    """The fragments in which `check` differs from what is `shown`."""
    if check == shown:
        return

    def part(element: str, template: str, **values: object) -> str:
        html = context.pages.fragment(speech, f"checks/{template}", **values)
        return _partial(f"#{element}", "outerMorph", html)

    yield part("progress", "_progress.html", progress=progress_of(check))
    standings = standings_of(check)
    if shown is None or standings != standings_of(shown):
        yield part("standings", "_standings.html", check=check, standings=standings)
    before = {} if shown is None else _cells(shown)
    for element, cell in _cells(check).items():
        if before.get(element) != cell:
            yield part(element, "_cell.html", cell=cell)


def _cells(check: CheckView) -> dict[str, Cell]:
    return {cell.element: cell for row in rows_of(check) for cell in row.cells}


def _partial(target: str, swap: str, html: str) -> str:
    return f'<hx-partial hx-target="{target}" hx-swap="{swap}">{html}</hx-partial>\n'


def _message(html: str) -> str:
    lines = "".join(f"data: {line}\n" for line in html.splitlines())
    return f"{lines}\n"


async def _nothing() -> AsyncGenerator[str, None]:
    yield HEARTBEAT
