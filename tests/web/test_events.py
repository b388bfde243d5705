import asyncio
import re
from contextlib import aclosing

import pytest

from quoth.capture.views.follow_check import AT_MOST_EVERY
from quoth.storage import Database
from quoth.web.checks.events import END, HEARTBEAT, frames
from tests.api.harness import end_captures
from tests.web.harness import FORM, context_on, open_pages


async def started(database: Database) -> int:
    async with open_pages(database) as browser:
        answer = await browser.post("/checks", data=FORM)
    return int(answer.headers["location"].rpartition("/")[2])


def parts_of(frame: str) -> dict[str, str]:
    """The fragments of a message by what they replace."""
    lines = frame.removesuffix("\n\n").split("\n")
    assert all(line.startswith("data: ") for line in lines), frame
    html = "\n".join(line.removeprefix("data: ") for line in lines)
    partial = r'<hx-partial hx-target="#([\w-]+)"[^>]*>(.*?)</hx-partial>'
    return dict(re.findall(partial, html, re.DOTALL))


async def test_the_whole_truth_comes_first_then_only_what_changed_then_the_end(
    database: Database,
) -> None:
    check_id = await started(database)
    context = await context_on(database)

    async with aclosing(frames(context, context.pages.speeches["en"], check_id)) as stream:
        first = parts_of(await anext(stream))
        await end_captures(database, check_id, "no_surface", samples=1)
        changed = parts_of(await anext(stream))
        await end_captures(database, check_id, "no_surface")
        rest = [frame async for frame in stream]

    cells = {name for name in first if name.startswith("cell-")}
    assert len(cells) == 4
    assert set(first) - cells == {"progress", "standings"}
    assert set(changed) == cells | {"progress"}
    assert "hx-sse" not in "".join(first.values())
    assert parts_of(rest[-2]) == {"live": ""}
    assert rest[-1] == END


async def test_a_fragment_is_exactly_what_the_page_has(database: Database) -> None:
    check_id = await started(database)
    await end_captures(database, check_id, "no_surface", samples=1)
    context = await context_on(database)

    async with (
        open_pages(database) as browser,
        aclosing(frames(context, context.pages.speeches["en"], check_id)) as stream,
    ):
        sent = parts_of(await anext(stream))
        page = (await browser.get(f"/checks/{check_id}")).text

    untimed = [fragment for name, fragment in sent.items() if name.startswith("cell-")]
    assert untimed
    for fragment in untimed:
        assert fragment.strip() in page


async def test_many_changes_are_few_messages(database: Database) -> None:
    check_id = await started(database)
    context = await context_on(database)
    seen: list[str] = []

    async def watch() -> None:
        async with aclosing(frames(context, context.pages.speeches["ru"], check_id)) as stream:
            seen.extend([frame async for frame in stream])

    began = asyncio.get_running_loop().time()
    watching = asyncio.create_task(watch())
    for _ in range(25):
        await end_captures(database, check_id, "no_surface", samples=1)
        await asyncio.sleep(0.02)
    await end_captures(database, check_id, "no_surface")
    await asyncio.wait_for(watching, 5)
    took = asyncio.get_running_loop().time() - began

    looks = [frame for frame in seen if frame != END and "#live" not in frame]
    assert len(looks) <= took / AT_MOST_EVERY.total_seconds() + 1


async def test_a_process_that_ends_closes_its_streams(database: Database) -> None:
    check_id = await started(database)
    context = await context_on(database)

    async with aclosing(frames(context, context.pages.speeches["en"], check_id)) as stream:
        await anext(stream)
        context.closing.set()
        with pytest.raises(StopAsyncIteration):
            await anext(stream)


async def test_nothing_is_sent_again_that_has_not_changed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quoth.capture.views.follow_check.AT_LEAST_EVERY", AT_MOST_EVERY / 5)
    check_id = await started(database)
    context = await context_on(database)

    async with aclosing(frames(context, context.pages.speeches["en"], check_id)) as stream:
        await anext(stream)
        assert await anext(stream) == HEARTBEAT


async def test_the_stream_is_served_as_one_and_uncompressed(database: Database) -> None:
    check_id = await started(database)
    await end_captures(database, check_id, "no_surface")

    async with open_pages(database) as browser:
        stream = await browser.get(f"/checks/{check_id}/events")
        missing = await browser.get("/checks/999/events")

    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.headers["cache-control"] == "no-store"
    assert "content-encoding" not in stream.headers
    assert stream.text.endswith(END)
    assert missing.status_code == 404
