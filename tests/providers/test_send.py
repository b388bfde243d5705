"""The paid call: every way in which it may end, over real connections, for every engine."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from quoth.providers.contract import (
    AccountProblem,
    Busy,
    NotSent,
    ProviderError,
    Question,
    Rejected,
    Unknown,
    WrongModel,
)
from quoth.providers.registry import ADAPTERS
from tests.providers.scripted import (
    KEY,
    Scene,
    asking,
    cut,
    drip,
    hang,
    reply,
    reset,
    scripted,
)

QUESTION = Question("лучший банк для ИП?", "ru", "RU", "capture-7")
CREATED = {"id": "resp_1", "status": "queued", "output": []}
PAGE = (Path(__file__).parent / "bodies" / "gateway_502.html").read_bytes()
QUOTA = {"error": {"code": "insufficient_quota", "message": "No money."}}

engines = pytest.mark.parametrize("engine", ADAPTERS)


async def send(engine: str, *scenes: Scene, **settings: Any) -> str:
    async with scripted(*scenes) as server, asking(engine, server.url, **settings) as provider:
        return (await provider.send(QUESTION)).ref


async def failure(engine: str, *scenes: Scene, **settings: Any) -> ProviderError:
    """Send into a failure, and make sure that it was sent once at most."""
    async with scripted(*scenes) as server, asking(engine, server.url, **settings) as provider:
        with pytest.raises(ProviderError) as raised:
            await provider.send(QUESTION)
        assert len(server.asked) <= 1
    assert KEY not in repr(raised.value)
    assert raised.value.raw is None or KEY.encode() not in raised.value.raw.body
    return raised.value


async def test_chatgpt_is_asked_as_agreed() -> None:
    async with scripted(reply(200, CREATED)) as server, asking("chatgpt", server.url) as provider:
        accepted = await provider.send(QUESTION)

    [(method, path, headers, body)] = server.asked
    assert (method, path) == ("POST", "/responses")
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "gpt-5.6",
        "input": "лучший банк для ИП?",
        "background": True,
        "store": True,
        "tools": [
            {
                "type": "web_search",
                "search_context_size": "medium",
                "user_location": {"type": "approximate", "country": "RU"},
            }
        ],
        "tool_choice": "auto",
        "max_tool_calls": 10,
        "max_output_tokens": 16384,
        "include": ["web_search_call.action.sources"],
        "metadata": {"reference": "capture-7"},
    }
    assert accepted.ref == "resp_1"
    assert json.loads(accepted.raw.body) == CREATED


async def test_perplexity_is_asked_as_agreed() -> None:
    scene = reply(200, CREATED)

    async with scripted(scene) as server, asking("perplexity", server.url) as provider:
        await provider.send(QUESTION)

    [(method, path, _, body)] = server.asked
    assert (method, path) == ("POST", "/v1/agent")
    assert body == {
        "model": "perplexity/sonar",
        "input": "лучший банк для ИП?",
        "instructions": "Answer in the language whose ISO 639-1 code is 'ru'.",
        "language_preference": "ru",
        "background": True,
        "store": True,
        "tools": [
            {
                "type": "web_search",
                "search_context_size": "medium",
                "user_location": {"country": "RU"},
            }
        ],
        "tool_choice": "required",
        "max_output_tokens": 8192,
    }


@engines
async def test_secrets_are_not_kept(engine: str) -> None:
    scene = reply(
        200,
        CREATED | {"echo": f"Bearer {KEY}"},
        set_cookie="__cf_bm=x",
        openai_organization="org-x",
        x_request_id="req-1",
    )

    async with scripted(scene) as server, asking(engine, server.url) as provider:
        first = await provider.send(QUESTION)
        await provider.send(QUESTION)

    assert set(first.raw.headers) == {"content-type", "x-request-id"}
    assert KEY.encode() not in first.raw.body
    assert b"[key]" in first.raw.body
    assert "cookie" not in server.asked[1][2]


@engines
@pytest.mark.parametrize(
    ("scene", "error"),
    [
        (reply(400, {"error": {"code": None, "message": "Bad tool."}}), Rejected),
        (reply(404, {"error": {"code": "model_not_found"}}), Rejected),
        (reply(413, b""), Rejected),
        (reply(422, {"detail": "No such field."}), Rejected),
        (reply(400, {"error": {"code": "billing_not_active"}}), AccountProblem),
        (reply(401, {"error": {"code": "invalid_api_key", "message": KEY}}), AccountProblem),
        (reply(402, b""), AccountProblem),
        (reply(403, PAGE, content_type="text/html"), AccountProblem),
        (reply(429, QUOTA), AccountProblem),
        (reply(429, {"error": {"type": "insufficient_quota", "code": None}}), AccountProblem),
        (reply(429, {"error": {"code": "credit_balance_exhausted"}}), AccountProblem),
        (reply(429, {"error": {"code": "rate_limit_exceeded"}}), Busy),
        (reply(429, b""), Busy),
        (reply(408, b""), Busy),
        (reply(409, {"error": "conflict"}), Busy),
        (reply(500, {"error": {"code": "server_error"}}), Busy),
        (reply(502, PAGE, content_type="text/html"), Busy),
        (reply(502, {"error": {"code": 502, "type": "cf_bad_gateway"}}), Busy),
        (reply(503, {"error": {"code": "server_is_overloaded"}}), Busy),
        (reply(521, PAGE, content_type="text/html"), Busy),
        (reply(502, b""), Unknown),
        (reply(503, b" \n"), Unknown),
        (reply(504, PAGE, content_type="text/html"), Unknown),
        (reply(524, PAGE, content_type="text/html"), Unknown),
        (reply(307, b"", location="http://127.0.0.1:1/"), NotSent),
        (reply(200, b""), Unknown),
        (reply(200, PAGE, content_type="text/html"), Unknown),
        (reply(200, {"status": "queued"}), Unknown),
        (reply(200, {"id": 7}), Unknown),
        (reply(200, {"id": "resp_\u0000"}), Unknown),
        (reply(200, b"[1, 2]"), Unknown),
        (reply(200, QUOTA), AccountProblem),
        (reply(200, {"error": {"code": "slow_down"}}), Busy),
        (cut(b'{"id": "resp_1'), Unknown),
        (cut(b""), Unknown),
        (reset, Unknown),
    ],
)
async def test_a_call_that_ends_without_an_id_says_what_is_known(
    engine: str, scene: Scene, error: type[ProviderError]
) -> None:
    failed = await failure(engine, scene)

    assert type(failed) is error, failed.reason
    assert failed.reason
    assert len(failed.reason) < 400


@engines
async def test_an_id_is_saved_from_a_reply_that_breaks_off(engine: str) -> None:
    started = b'{"previous_response_id": null, "id": "resp_1-a", "output": [{"id": "msg_'

    assert await send(engine, cut(started)) == "resp_1-a"
    assert await send(engine, drip(started), create=timedelta(seconds=0.2)) == "resp_1-a"


@engines
@pytest.mark.parametrize("scene", [hang, drip(b'{"object": "response"')], ids=["hang", "drip"])
async def test_a_call_that_takes_too_long_may_have_been_taken(engine: str, scene: Scene) -> None:
    failed = await failure(engine, scene, create=timedelta(seconds=0.2))

    assert type(failed) is Unknown
    assert "no whole reply within 0.2 s" in failed.reason


@engines
@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:1", "https://127.0.0.1:{port}", "http://no.such.host.invalid"],
    ids=["refused", "no TLS there", "no such host"],
)
async def test_what_never_left_costs_nothing(engine: str, url: str) -> None:
    async with (
        scripted(reply(200, CREATED)) as server,
        asking(engine, url.format(port=server.port), create=timedelta(seconds=0.5)) as provider,
    ):
        with pytest.raises(NotSent):
            await provider.send(QUESTION)

    assert server.asked == []


@engines
async def test_a_proxy_that_cannot_connect_has_sent_nothing(engine: str) -> None:
    async with scripted(reply(502, b"no way out")) as proxy:
        with_password = f"http://user:{KEY}@127.0.0.1:{proxy.port}"
        async with asking(engine, "https://engine.test", proxy=with_password) as provider:
            with pytest.raises(NotSent) as raised:
                await provider.send(QUESTION)

    assert [method for method, *_ in proxy.asked] == ["CONNECT"]
    assert KEY not in str(raised.value)


@engines
async def test_the_environment_names_no_proxy(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    assert await send(engine, reply(200, CREATED)) == "resp_1"


@engines
@pytest.mark.parametrize(
    ("headers", "after"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        (
            {
                "date": "Tue, 01 Dec 2026 10:00:00 GMT",
                "retry-after": "Tue, 01 Dec 2026 10:02:00 GMT",
            },
            120,
        ),
        (
            {
                "date": "Tue, 01 Dec 2026 10:00:00 GMT",
                "retry-after": "Tue, 01 Dec 2026 09:00:00 GMT",
            },
            0,
        ),
        ({"retry-after": "99999999999999"}, 3600),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_a_wait_that_is_asked_for_is_told(
    engine: str, status: int, headers: dict[str, str], after: float | None
) -> None:
    failed = await failure(engine, reply(status, {"error": {}}, **headers))

    assert isinstance(failed, Busy)
    assert failed.after == (None if after is None else timedelta(seconds=after))


@engines
async def test_the_simulator_never_passes_for_the_engine(engine: str) -> None:
    for scene in (
        reply(200, CREATED, x_quoth_simulator="1"),
        reply(429, b"", x_quoth_simulator="1"),
    ):
        failed = await failure(engine, scene)
        assert type(failed) is WrongModel


@engines
async def test_the_engine_never_passes_for_the_simulator(engine: str) -> None:
    failed = await failure(engine, reply(200, CREATED), surface="simulator")

    assert type(failed) is WrongModel
    assert await send(engine, reply(200, CREATED, x_quoth_simulator="1"), surface="simulator")


@engines
async def test_a_cancelled_call_closes_its_connection(engine: str) -> None:
    async with scripted(hang) as server, asking(engine, server.url) as provider:
        call = asyncio.create_task(provider.send(QUESTION))
        await server.heard.get()

        call.cancel()

        with pytest.raises(asyncio.CancelledError):
            await call


@engines
async def test_each_paid_call_has_a_connection_of_its_own(engine: str) -> None:
    async with scripted(reply(200, CREATED)) as server, asking(engine, server.url) as provider:
        for _ in range(3):
            await provider.send(QUESTION)

    assert server.connections == 3
