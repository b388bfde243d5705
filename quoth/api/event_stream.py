"""Server-sent events: the truth at every connection, then whenever it changes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import StreamingResponse
from starlette.types import Send

from quoth.api.answers import CheckOut
from quoth.api.context import Context
from quoth.capture.views.follow_check import follow_check
from quoth.capture.views.load_check import load_summary
from quoth.storage import DatabaseUnavailable

RETRY = "retry: 2000\n\n"
HEARTBEAT = ": nothing new\n\n"
# A browser that reconnects after the end says this id, and is told not to come again.
END = "end"


class EventStream(StreamingResponse):
    """A stream whose generator is closed with the response, whoever ends it."""

    def __init__(self, frames: AsyncGenerator[str, None]) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(frames, headers=headers, media_type="text/event-stream")
        self._frames = frames

    async def stream_response(self, send: Send) -> None:
        """Send what the generator gives, and close it."""
        async with aclosing(self._frames):
            await super().stream_response(send)


async def check_frames(context: Context, check_id: int) -> AsyncGenerator[str, None]:
    """The events of a check until it is over, the database is away or the process ends."""
    yield RETRY
    shown = ""
    async with aclosing(follow_check(context.database, check_id, context.closing)) as looks:
        async for _ in looks:
            try:
                async with context.database.autocommit() as tx:
                    check = await load_summary(tx, context.workspace, check_id)
            except DatabaseUnavailable:
                return
            now = CheckOut.of(check).model_dump_json()
            yield HEARTBEAT if now == shown else f"event: progress\ndata: {now}\n\n"
            shown = now
            if check.state != "running":
                yield f'id: {END}\nevent: end\ndata: {{"state":"{check.state}"}}\n\n'
                return
