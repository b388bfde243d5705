import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import timedelta

import pytest

from quoth.accounts.workspace import load_workspace
from quoth.api.context import Context
from quoth.api.event_stream import HEARTBEAT, RETRY, check_frames
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.views import follow_check as following
from quoth.storage import Database
from tests.api.harness import CHECK, end_captures, engines, open_api


async def context_on(database: Database) -> Context:
    async with database.transaction() as tx:
        workspace = await load_workspace(tx)
    return Context(database, workspace, engines("chatgpt", "perplexity"), asyncio.Event())


async def start(database: Database) -> int:
    async with open_api(database) as api:
        check: int = (await api.post("/checks", json=CHECK)).json()["id"]
    return check


def read(frame: str) -> tuple[str, dict[str, object]]:
    fields = dict(line.split(": ", 1) for line in frame.strip().splitlines())
    return fields["event"], json.loads(fields["data"])


async def next_event(frames: AsyncIterator[str]) -> tuple[str, dict[str, object]]:
    async with asyncio.timeout(5):
        while (frame := await anext(frames)) in (RETRY, HEARTBEAT):
            pass
    return read(frame)


async def test_the_truth_comes_at_once_then_each_change_then_the_end(database: Database) -> None:
    check = await start(database)

    async with aclosing(check_frames(await context_on(database), check)) as frames:
        assert await anext(frames) == RETRY
        first = await next_event(frames)
        await end_captures(database, check, "no_surface", samples=1)
        second = await next_event(frames)
        await end_captures(database, check, "no_surface")
        third = await next_event(frames)
        end = await next_event(frames)
        with pytest.raises(StopAsyncIteration):
            await anext(frames)

    assert [name for name, _ in (first, second, third)] == ["progress"] * 3
    assert [each["over"] for _, each in (first, second, third)] == [0, 4, 8]
    assert end == ("end", {"state": "complete"})


async def test_a_reconnect_begins_with_the_present_truth(database: Database) -> None:
    check = await start(database)
    await end_captures(database, check, "no_surface", samples=1)

    async with aclosing(check_frames(await context_on(database), check)) as frames:
        _, now = await next_event(frames)

    assert now["over"] == 4


async def test_many_changes_are_few_events(database: Database) -> None:
    check = await start(database)
    seen: list[str] = []

    async def watch() -> None:
        async with aclosing(check_frames(await context_on(database), check)) as frames:
            seen.extend([frame async for frame in frames])

    watching = asyncio.create_task(watch())
    for _ in range(25):
        await end_captures(database, check, "no_surface", samples=1)
        await asyncio.sleep(0.02)
    await end_captures(database, check, "no_surface")
    await asyncio.wait_for(watching, 5)

    # Half a second of changes at no more than four a second, the retry, the end.
    assert len(seen) <= 7
    assert read(seen[-1])[0] == "end"


async def test_where_nothing_changes_a_heartbeat_is_sent(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "AT_LEAST_EVERY", timedelta(milliseconds=50))
    check = await start(database)

    async with aclosing(check_frames(await context_on(database), check)) as frames:
        await next_event(frames)
        assert await anext(frames) == HEARTBEAT


async def test_a_notice_for_another_check_wakes_nobody(database: Database) -> None:
    check = await start(database)

    async with aclosing(check_frames(await context_on(database), check)) as frames:
        await next_event(frames)
        database.notices.deliver(CHECK_CHANGED, str(check + 1))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.6):
                await anext(frames)


async def test_a_process_that_ends_closes_its_streams(database: Database) -> None:
    check = await start(database)
    context = await context_on(database)

    async with aclosing(check_frames(context, check)) as frames:
        await next_event(frames)
        context.closing.set()
        with pytest.raises(StopAsyncIteration):
            await anext(frames)


async def test_events_are_served_as_a_stream(database: Database) -> None:
    check = await start(database)
    await end_captures(database, check, "no_surface")

    async with open_api(database) as api:
        stream = await api.get(f"/checks/{check}/events")
        known = await api.get(f"/checks/{check}/events", headers={"last-event-id": "end"})

    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.headers["cache-control"] == "no-store"
    frames = stream.text.split("\n\n")
    assert [read(frame)[0] for frame in frames if "event:" in frame] == ["progress", "end"]
    assert known.status_code == 204
