"""GET /checks/{id}/events: the parts of the check page that changed, while it is open."""

import asyncio
import json
from collections.abc import AsyncGenerator
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from quoth.capture.channels import CHECK_CHANGED
from quoth.loops import first_of
from quoth.web.check_page import cells_of, look
from quoth.web.pages import House
from quoth.web.words import Language, language_of

# At most four looks a second, and one now and then in case a notice was missed.
PACE = timedelta(milliseconds=250)
AT_LEAST_EVERY = timedelta(seconds=5)


async def check_events(house: House, closing: asyncio.Event, request: Request) -> Response:
    """A stream of fragments; the truth at once on every connection."""
    check_id: int = request.path_params["check_id"]
    await look(house, check_id)
    return StreamingResponse(
        frames(house, closing, check_id, language_of(request)),
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


async def frames(
    house: House, closing: asyncio.Event, check_id: int, language: Language
) -> AsyncGenerator[str, None]:
    """Each frame is a JSON object of element ids and their new HTML."""
    changed = asyncio.Event()

    def heard(payload: str) -> None:
        if payload in ("", str(check_id)):
            changed.set()

    stop = house.database.notices.subscribe(CHECK_CHANGED, heard)
    shown: dict[str, str] = {}
    try:
        while not closing.is_set():
            changed.clear()
            check = await look(house, check_id)
            parts = {"progress": house.render(language, "_progress.html", check=check)}
            for (prompt_id, engine), captures in cells_of(check).items():
                parts[f"cell-{prompt_id}-{engine}"] = house.render(
                    language, "_cell.html", captures=captures
                )
            fresh = {name: part for name, part in parts.items() if shown.get(name) != part}
            shown.update(fresh)
            yield (
                f"event: change\ndata: {json.dumps(fresh, ensure_ascii=False)}\n\n"
                if fresh
                else ": still here\n\n"
            )
            if check.state != "running":
                yield "event: over\ndata: \n\n"
                return
            await asyncio.sleep(PACE.total_seconds())
            await first_of(changed, closing, at_most=AT_LEAST_EVERY)
    finally:
        stop()
