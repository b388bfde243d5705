"""Waiting for what was accepted: trouble slows it down, and only an end ends it."""

import asyncio
import json
from datetime import timedelta

import pytest

from quoth.providers.contract import (
    AccountProblem,
    Gone,
    Malformed,
    ProviderError,
    Rejected,
    WrongModel,
)
from quoth.providers.exchange import MOST_BYTES
from quoth.providers.poll import in_trouble, pace
from quoth.providers.registry import ADAPTERS
from tests.providers.scripted import Scene, asking, cut, hang, reply, reset, scripted

QUEUED = reply(200, {"id": "resp_1", "status": "queued"})
OVER = {"id": "resp_1", "status": "completed", "output": []}
PAGE = b"<html><title>502 Bad gateway</title></html>"

engines = pytest.mark.parametrize("engine", ADAPTERS)


@engines
async def test_a_response_is_polled_by_its_id_until_it_is_over(engine: str) -> None:
    working = reply(200, {"id": "resp_1", "status": "in_progress"})
    async with (
        scripted(QUEUED, working, reply(200, OVER)) as server,
        asking(engine, server.url) as provider,
    ):
        raw = await provider.collect("resp_1/../../x?y=1")

    assert json.loads(raw.body) == OVER
    methods, paths = zip(*[(method, path) for method, path, *_ in server.asked], strict=True)
    assert methods == ("GET",) * 3
    assert all("/responses/resp_1%2F..%2F..%2Fx%3Fy%3D1" in path for path in paths)
    assert server.connections == 1


@engines
@pytest.mark.parametrize(
    "trouble",
    [
        reply(500, {"error": {"code": "server_error"}}),
        reply(502, PAGE),
        reply(502, b""),
        reply(504, PAGE),
        reply(429, {"error": {"code": "rate_limit_exceeded"}}, retry_after_ms="1"),
        reply(408, b""),
        reply(302, b"", location="http://127.0.0.1:1/"),
        reply(200, PAGE),
        reply(200, b""),
        reply(200, b"[]"),
        cut(b'{"status": "completed"'),
        reset,
    ],
)
async def test_trouble_on_the_way_loses_nothing(engine: str, trouble: Scene) -> None:
    async with (
        scripted(QUEUED, trouble, trouble, reply(200, OVER)) as server,
        asking(engine, server.url) as provider,
    ):
        raw = await provider.collect("resp_1")

    assert json.loads(raw.body) == OVER


@engines
@pytest.mark.parametrize(
    "status", ["completed", "failed", "incomplete", "cancelled", "a_word_of_next_year", None, 7]
)
async def test_whatever_is_not_pending_is_over(engine: str, status: object) -> None:
    async with (
        scripted(QUEUED, reply(200, {"status": status})) as server,
        asking(engine, server.url) as provider,
    ):
        raw = await provider.collect("resp_1")

    assert json.loads(raw.body) == {"status": status}


@engines
@pytest.mark.parametrize(
    ("scene", "error", "times"),
    [
        # Read just after it was written, an id may not be everywhere yet.
        (reply(404, {"error": {"message": "Not found."}}), Gone, 3),
        (reply(410, b""), Gone, 3),
        (reply(401, {"error": {"code": "invalid_api_key"}}), AccountProblem, 1),
        (reply(403, PAGE), AccountProblem, 1),
        (reply(400, {"error": {"code": "x"}}), Rejected, 1),
        (reply(200, OVER, x_quoth_simulator="1"), WrongModel, 1),
        (reply(200, b" " * (MOST_BYTES + 1)), Malformed, 1),
    ],
)
async def test_what_ends_the_waiting(
    engine: str, scene: Scene, error: type[ProviderError], times: int
) -> None:
    async with scripted(scene) as server, asking(engine, server.url) as provider:
        with pytest.raises(error) as raised:
            await provider.collect("resp_1")

    assert len(server.asked) == times
    assert raised.value.raw is not None


@engines
async def test_an_id_that_shows_up_late_is_not_gone(engine: str) -> None:
    missing = reply(404, {"error": {"message": "Not found."}})
    async with (
        scripted(missing, missing, QUEUED, missing, reply(200, OVER)) as server,
        asking(engine, server.url) as provider,
    ):
        await provider.collect("resp_1")


@engines
async def test_the_engine_does_not_answer_for_the_simulator(engine: str) -> None:
    async with (
        scripted(reply(200, OVER)) as server,
        asking(engine, server.url, surface="simulator") as provider,
    ):
        with pytest.raises(WrongModel):
            await provider.collect("resp_1")


@engines
@pytest.mark.parametrize("scene", [QUEUED, hang], ids=["between polls", "in a poll"])
async def test_a_cancelled_wait_ends_at_once_and_leaves_the_rest_working(
    engine: str, scene: Scene
) -> None:
    async with scripted(scene) as server, asking(engine, server.url) as provider:
        waits = [asyncio.create_task(provider.collect("resp_1")) for _ in range(5)]
        for _ in waits:
            await server.heard.get()

        for wait in waits:
            wait.cancel()
        ends = await asyncio.gather(*waits, return_exceptions=True)

        assert all(isinstance(end, asyncio.CancelledError) for end in ends)
        server.scenes = [reply(200, OVER)]
        assert json.loads((await provider.collect("resp_1")).body) == OVER


@engines
@pytest.mark.parametrize(
    "scene",
    [
        reply(200, {"status": "cancelling"}),
        reply(404, b""),
        reply(409, b""),
        reply(400, {"error": {"message": "Already over."}}),
    ],
)
async def test_a_cancel_of_what_is_over_or_unknown_is_no_error(engine: str, scene: Scene) -> None:
    async with scripted(scene) as server, asking(engine, server.url) as provider:
        await provider.cancel("resp_1")

    [(method, path, *_)] = server.asked
    assert method == "POST"
    assert path.endswith("/responses/resp_1/cancel")


def test_the_pace_follows_the_age() -> None:
    floor = timedelta(seconds=0.5)

    assert [pace(age, floor) for age in (0, 10, 50, 100, 10_000)] == [0.5, 0.5, 2, 4, 5]
    assert pace(10_000, timedelta(milliseconds=5)) == 5
    assert pace(0, timedelta(seconds=9)) == 9


def test_a_crowd_polls_no_more_than_a_hundred_would() -> None:
    floor = timedelta(seconds=0.5)

    assert [pace(0, floor, crowd=crowd) for crowd in (1, 100, 200, 1000)] == [0.5, 0.5, 1, 5]


def test_trouble_doubles_the_wait_up_to_half_a_minute() -> None:
    assert [in_trouble(0.5, troubles) for troubles in (1, 2, 5, 6, 1000)] == [1, 2, 16, 30, 30]
