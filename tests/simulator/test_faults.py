import asyncio
import json
import time
from typing import Any

import pytest
from httpx2 import AsyncClient, ReadError, ReadTimeout, RemoteProtocolError, Response

from quoth.simulator.faults import BadFault, make_fault, markers
from quoth.simulator.serve import Simulator
from tests.simulator.asking import (
    CREATE,
    RESPONSES,
    answered,
    create,
    poll,
    purchases,
    request_for,
    text_of,
)

ENGINES = ("chatgpt", "perplexity")
PROMPT = "Где вести проекты команды?"

engines = pytest.mark.parametrize("engine", ENGINES)


async def ask(http: AsyncClient, engine: str, marker: str) -> Response:
    return await create(http, engine, f"{PROMPT} [[fault:{marker}]]")


async def end(http: AsyncClient, engine: str, marker: str) -> dict[str, Any]:
    return await answered(http, engine, f"{PROMPT} [[fault:{marker}]]")


@engines
@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("400", 400, "invalid_value"),
        ("401", 401, "invalid_api_key"),
        ("402", 402, "insufficient_credits"),
        ("403", 403, "unsupported_country_region_territory"),
        ("408", 408, None),
        ("409", 409, None),
        ("422", 422, "invalid_value"),
        ("429", 429, "rate_limit_exceeded"),
        ("quota", 429, "insufficient_quota"),
        ("overloaded", 503, "server_is_overloaded"),
        ("500", 500, "server_error"),
    ],
)
async def test_a_refusal_is_in_the_engines_words_and_buys_nothing(
    http: AsyncClient, engine: str, kind: str, status: int, code: str | None
) -> None:
    reply = await ask(http, engine, kind)

    assert reply.status_code == status
    assert code is None or reply.json()["error"]["code"] == code
    assert "retry-after" not in reply.headers
    assert await purchases(http) == []
    assert (await ask(http, engine, kind)).status_code == 200


@engines
@pytest.mark.parametrize("status", [502, 503, 504, 520, 522, 524])
async def test_a_cdn_answers_with_a_page(http: AsyncClient, engine: str, status: int) -> None:
    reply = await ask(http, engine, f"{status} after=7")

    assert (reply.status_code, reply.headers["retry-after"]) == (status, "7")
    assert reply.headers["content-type"].startswith("text/html")
    assert "cloudflare" in reply.text
    assert reply.headers["x-quoth-simulator"] == "1"
    assert await purchases(http) == []


@engines
async def test_a_gateway_can_lose_a_call_that_was_bought(http: AsyncClient, engine: str) -> None:
    reply = await ask(http, engine, "504 bought=yes")

    assert reply.status_code == 504
    assert len(await purchases(http)) == 1


@engines
async def test_a_fault_hits_as_many_requests_as_it_is_told(http: AsyncClient, engine: str) -> None:
    marker = "429 times=2 skip=1"

    statuses = [(await ask(http, engine, marker)).status_code for _ in range(4)]

    assert statuses == [200, 429, 429, 200]


@engines
async def test_several_faults_come_one_after_another(http: AsyncClient, engine: str) -> None:
    prompt = f"{PROMPT} [[fault:429]] [[fault:503]]"

    statuses = [(await create(http, engine, prompt)).status_code for _ in range(3)]

    assert statuses == [429, 503, 200]


@engines
async def test_a_hang_never_answers_and_buys_nothing(http: AsyncClient, engine: str) -> None:
    request = request_for(engine, f"{PROMPT} [[fault:hang]]")

    with pytest.raises(ReadTimeout):
        await http.post(CREATE[engine], json=request, timeout=0.2)

    assert await purchases(http) == []


@engines
@pytest.mark.parametrize(("bought", "count"), [("no", 0), ("yes", 1)])
async def test_a_reset_is_one_for_tcp_before_and_after_acceptance(
    simulator: Simulator, http: AsyncClient, engine: str, bought: str, count: int
) -> None:
    host, port = simulator.url.removeprefix("http://").split(":")
    request = request_for(engine, f"{PROMPT} [[fault:reset bought={bought}]]")
    body = json.dumps(request).encode()
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        b"POST %s HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ncontent-length: %d\r\n\r\n%s"
        % (CREATE[engine].encode(), len(body), body)
    )

    with pytest.raises(ConnectionResetError):
        await reader.read()

    writer.close()
    assert len(await purchases(http)) == count


@engines
async def test_a_reset_ends_a_call_of_an_http_client(http: AsyncClient, engine: str) -> None:
    with pytest.raises((ReadError, RemoteProtocolError)):
        await ask(http, engine, "reset")

    assert (await ask(http, engine, "reset")).status_code == 200


@engines
async def test_a_truncated_reply_breaks_off_in_its_middle(http: AsyncClient, engine: str) -> None:
    got: list[bytes] = []

    async def read() -> None:
        request = request_for(engine, "CRM? [[fault:truncated]]")
        async with http.stream("POST", CREATE[engine], json=request) as reply:
            assert reply.status_code == 200
            pieces = reply.aiter_raw()
            while True:
                got.append(await anext(pieces))

    with pytest.raises(RemoteProtocolError):
        await read()

    assert b"".join(got).startswith(b"{")
    assert len(await purchases(http)) == 1


@engines
async def test_a_slow_body_arrives_whole(http: AsyncClient, engine: str) -> None:
    began = time.monotonic()

    reply = await ask(http, engine, "drip seconds=0.3")

    assert time.monotonic() - began > 0.25
    assert reply.json()["status"] == "queued"
    assert len(await purchases(http)) == 1


@engines
@pytest.mark.parametrize(("kind", "start"), [("empty", ""), ("html", "<!DOCTYPE html>")])
async def test_a_success_without_json_counts_as_bought(
    http: AsyncClient, engine: str, kind: str, start: str
) -> None:
    reply = await ask(http, engine, kind)

    assert reply.status_code == 200
    assert reply.text[: len(start) or None] == start
    assert len(await purchases(http)) == 1


@engines
async def test_malformed_json_cannot_be_read(http: AsyncClient, engine: str) -> None:
    reply = await ask(http, engine, "malformed")

    with pytest.raises(ValueError, match=r"Expecting|delimiter"):
        reply.json()


@engines
@pytest.mark.parametrize("state", ["queued", "in_progress"])
async def test_a_stuck_job_never_ends(http: AsyncClient, engine: str, state: str) -> None:
    response_id = (await ask(http, engine, f"stuck detail={state}")).json()["id"]

    await asyncio.sleep(0.2)

    assert (await poll(http, engine, response_id)).json()["status"] == state
    [purchase] = await purchases(http)
    assert purchase["out"] is None


@engines
@pytest.mark.parametrize("code", ["server_error", "rate_limit_exceeded"])
async def test_a_failed_job_says_why(http: AsyncClient, engine: str, code: str) -> None:
    body = await end(http, engine, f"failed detail={code}")

    assert (body["status"], body["error"]["code"], body["output"]) == ("failed", code, [])
    assert (await end(http, engine, f"failed detail={code}"))["status"] == "completed"


@engines
async def test_an_answer_can_be_cut_off(http: AsyncClient, engine: str) -> None:
    body = await end(http, engine, "incomplete")
    whole = await end(http, engine, "incomplete")

    assert body["status"] == "incomplete"
    assert body["incomplete_details"]["reason"] == "max_output_tokens"
    assert 0 < len(text_of(body)) < len(text_of(whole))


@engines
@pytest.mark.parametrize(
    ("detail", "reason"), [("content_filter", "content_filter"), ("nothing", "max_output_tokens")]
)
async def test_an_answer_can_be_cut_off_before_its_first_word(
    http: AsyncClient, engine: str, detail: str, reason: str
) -> None:
    body = await end(http, engine, f"incomplete detail={detail}")

    assert body["status"] == "incomplete"
    assert body["incomplete_details"]["reason"] == reason
    assert not [i for i in body["output"] if i.get("phase", "final_answer") == "final_answer"
                and i["type"] == "message"]  # fmt: skip


@engines
async def test_a_refusal_is_a_part_of_its_own(http: AsyncClient, engine: str) -> None:
    body = await end(http, engine, "refusal")

    [part] = body["output"][-1]["content"]
    assert (body["status"], part["type"]) == ("completed", "refusal")


@engines
async def test_a_model_can_think_and_say_nothing(http: AsyncClient, engine: str) -> None:
    body = await end(http, engine, "reasoning")

    assert body["status"] == "completed"
    assert body["output"][-1]["type"] != "message"


@engines
async def test_another_model_can_answer(http: AsyncClient, engine: str) -> None:
    body = await end(http, engine, "model detail=other/one")

    assert body["model"] == "other/one"


@engines
async def test_an_answer_can_come_without_a_search(http: AsyncClient, engine: str) -> None:
    body = await end(http, engine, "nosearch")

    kinds = {item["type"] for item in body["output"]}
    assert not kinds & {"web_search_call", "search_results"}
    assert "http" not in text_of(body)


@engines
async def test_an_answer_can_cite_nothing_that_it_found(http: AsyncClient, engine: str) -> None:
    body = await end(http, engine, "nocitations")

    kinds = {item["type"] for item in body["output"]}
    assert kinds & {"web_search_call", "search_results"}
    assert "](http" not in text_of(body)
    assert "[1]" not in text_of(body)


@engines
async def test_a_slow_job_takes_as_long_as_it_is_told(http: AsyncClient, engine: str) -> None:
    began = time.monotonic()

    await end(http, engine, "slow seconds=0.4")

    assert time.monotonic() - began >= 0.35


@engines
@pytest.mark.parametrize("kind", ["404", "429 after=1", "502", "401", "empty", "html", "malformed"])
async def test_polls_fail_by_themselves(http: AsyncClient, engine: str, kind: str) -> None:
    created = await ask(http, engine, f"{kind} on=poll skip=1")
    response_id = created.json()["id"]

    first, second, third = [await poll(http, engine, response_id) for _ in range(3)]

    assert first.json()["id"] == third.json()["id"] == response_id
    assert (second.status_code, second.text) != (200, first.text)
    [purchase] = await purchases(http)
    assert purchase["polls"] == 3


@engines
async def test_a_poll_can_be_reset(http: AsyncClient, engine: str) -> None:
    response_id = (await ask(http, engine, "reset on=poll")).json()["id"]

    with pytest.raises((ReadError, RemoteProtocolError)):
        await poll(http, engine, response_id)

    assert (await poll(http, engine, response_id)).json()["id"] == response_id


@engines
async def test_a_cancel_can_fail(http: AsyncClient, engine: str) -> None:
    prompt = f"{PROMPT} [[fault:stuck]] [[fault:500 on=cancel]]"
    response_id = (await create(http, engine, prompt)).json()["id"]
    path = f"{RESPONSES[engine]}/{response_id}/cancel"

    statuses = [(await http.post(path)).status_code for _ in range(2)]

    assert statuses == [500, 200]


async def test_a_fault_can_be_meant_for_one_engine(http: AsyncClient) -> None:
    marker = "429 engine=perplexity"

    assert (await ask(http, "chatgpt", marker)).status_code == 200
    assert (await ask(http, "perplexity", marker)).status_code == 429


async def test_the_control_endpoint_plans_faults(http: AsyncClient) -> None:
    fault = {"engine": "chatgpt", "match": "ПРОЕКТЫ", "kind": "429", "times": 1, "after": 2}

    planned = await http.post("/control/faults", json=fault)
    other = await create(http, "chatgpt", "best CRM?")
    hit = await create(http, "chatgpt", PROMPT)
    next_one = await create(http, "chatgpt", PROMPT)

    assert planned.status_code == 201
    assert [r.status_code for r in (other, hit, next_one)] == [200, 429, 200]
    [rule] = (await http.get("/control/faults")).json()["faults"]
    assert rule["met"] == 2


async def test_planned_faults_can_be_forgotten(http: AsyncClient) -> None:
    await http.post("/control/faults", json={"kind": "429", "times": "all"})
    refused = await create(http, "chatgpt", PROMPT)

    await http.delete("/control/faults")

    assert refused.status_code == 429
    assert (await create(http, "chatgpt", PROMPT)).status_code == 200


async def test_a_fault_that_nobody_knows_is_told(http: AsyncClient) -> None:
    planned = await http.post("/control/faults", json={"kind": "flood"})
    asked = await ask(http, "chatgpt", "flood")

    assert (planned.status_code, asked.status_code) == (400, 400)
    assert "flood" in planned.json()["error"]
    assert "flood" in asked.json()["error"]["message"]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"kind": "429", "on": "arrival"},
        {"kind": "stuck", "on": "poll"},
        {"kind": "429", "times": "often"},
        {"kind": "429", "times": -1},
        {"kind": "429", "bought": "perhaps"},
        {"kind": "429", "colour": "red"},
    ],
)
def test_a_fault_is_checked(given: dict[str, object]) -> None:
    with pytest.raises(BadFault):
        make_fault(given)


def test_markers_are_no_part_of_the_question() -> None:
    question, faults = markers("Лучшая CRM? [[fault:429 after=3 times=all]] [[fault:stuck]]")

    assert question == "Лучшая CRM?"
    assert [(fault.kind, fault.times) for fault in faults] == [("429", None), ("stuck", 1)]
