import asyncio

import pytest
from httpx2 import AsyncClient
from openai import (
    APIStatusError,
    AsyncOpenAI,
    AuthenticationError,
    BadRequestError,
    NotFoundError,
    RateLimitError,
)
from openai.types.responses import Response, ResponseFunctionWebSearch, ResponseOutputMessage
from openai.types.responses.response_function_web_search import ActionSearch
from openai.types.responses.response_output_text import AnnotationURLCitation, ResponseOutputText

from quoth.simulator.serve import Simulator
from tests.simulator.asking import answered, create

PROMPT = "Какой банк лучше для ИП?"


async def ask(client: AsyncOpenAI, prompt: str = PROMPT) -> Response:
    response = await client.responses.create(
        model="gpt-5.6",
        input=prompt,
        background=True,
        store=True,
        tools=[{"type": "web_search", "user_location": {"type": "approximate", "country": "RU"}}],
        include=["web_search_call.action.sources"],
        metadata={"capture_id": "17"},
    )
    assert response.status == "queued"
    return response


async def over(client: AsyncOpenAI, response: Response) -> Response:
    while response.status in ("queued", "in_progress"):
        await asyncio.sleep(0.01)
        response = await client.responses.retrieve(response.id)
    return response


def final(response: Response) -> ResponseOutputText:
    [message] = [
        item
        for item in response.output
        if isinstance(item, ResponseOutputMessage) and item.phase == "final_answer"
    ]
    [part] = message.content
    assert isinstance(part, ResponseOutputText)
    return part


async def test_a_background_response_goes_from_queued_to_completed(openai: AsyncOpenAI) -> None:
    queued = await ask(openai)

    done = await over(openai, queued)

    assert (queued.status, queued.output, queued.usage) == ("queued", [], None)
    assert (done.status, done.id, done.model) == ("completed", queued.id, "gpt-5.6-sol")
    assert done.metadata == {"capture_id": "17"}
    assert done.usage is not None
    assert done.usage.total_tokens == done.usage.input_tokens + done.usage.output_tokens


async def test_the_notes_cut_the_links_out_of_the_text(openai: AsyncOpenAI) -> None:
    seen = 0
    for _ in range(12):
        part = final(await over(openai, await ask(openai)))
        for note in part.annotations:
            assert isinstance(note, AnnotationURLCitation)
            link = part.text[note.start_index : note.end_index]
            assert link.startswith("([")
            assert link.endswith(f"]({note.url}))")
            assert "utm_source=openai" in note.url
            assert note.title
            seen += 1

    assert seen > 12


async def test_it_shows_its_searches_and_with_include_their_sources(openai: AsyncOpenAI) -> None:
    done = await over(openai, await ask(openai))

    calls = [item for item in done.output if isinstance(item, ResponseFunctionWebSearch)]
    actions = [call.action for call in calls if isinstance(call.action, ActionSearch)]
    assert actions
    for action in actions:
        assert action.queries == [action.query]
        assert action.sources
    assert done.tool_usage is not None
    assert done.tool_usage.web_search.num_requests == len(actions)


async def test_without_include_there_are_no_sources(http: AsyncClient) -> None:
    body = await answered(http, "chatgpt", PROMPT, include=[])

    actions = [item["action"] for item in body["output"] if item["type"] == "web_search_call"]
    assert actions
    assert not any("sources" in action for action in actions)


async def test_a_foreground_response_is_complete_at_once(openai: AsyncOpenAI) -> None:
    response = await openai.responses.create(
        model="gpt-5.6", input="best CRM?", tools=[{"type": "web_search"}]
    )

    assert response.status == "completed"
    assert "CRM" in final(response).text


async def test_without_a_search_tool_it_answers_from_memory(openai: AsyncOpenAI) -> None:
    response = await openai.responses.create(model="gpt-5.6", input="best CRM?")

    assert not [item for item in response.output if item.type == "web_search_call"]
    assert final(response).annotations == []


async def test_a_cancelled_response_stays_cancelled(
    openai: AsyncOpenAI, simulator: Simulator
) -> None:
    response = await ask(openai, f"{PROMPT} [[fault:stuck]]")

    cancelled = await openai.responses.cancel(response.id)
    again = await openai.responses.cancel(response.id)
    polled = await openai.responses.retrieve(response.id)

    assert {cancelled.status, again.status, polled.status} == {"cancelled"}
    [purchase] = simulator.world.ledger.purchases.values()
    assert purchase.cancelled_at is not None


async def test_a_deleted_response_is_not_found(openai: AsyncOpenAI) -> None:
    response = await ask(openai)

    await openai.responses.delete(response.id)

    with pytest.raises(NotFoundError):
        await openai.responses.retrieve(response.id)


async def test_an_unknown_id_is_not_found(openai: AsyncOpenAI) -> None:
    with pytest.raises(NotFoundError) as error:
        await openai.responses.retrieve("resp_unknown")

    assert error.value.type == "invalid_request_error"


async def test_a_bad_key_is_refused(simulator: Simulator) -> None:
    async with AsyncOpenAI(api_key="bad", base_url=simulator.openai_url, max_retries=0) as stranger:
        with pytest.raises(AuthenticationError) as error:
            await ask(stranger)

    assert error.value.code == "invalid_api_key"
    assert not simulator.world.ledger.purchases


async def test_no_key_is_refused(simulator: Simulator) -> None:
    async with AsyncClient(base_url=simulator.url) as stranger:
        reply = await create(stranger, "chatgpt", PROMPT)

    assert reply.status_code == 401
    assert reply.headers["x-quoth-simulator"] == "1"


@pytest.mark.parametrize(
    ("more", "param", "code"),
    [
        ({"tools": [{"type": "web_serch"}]}, "tools[0].type", "invalid_value"),
        ({"tools": 5}, "tools", "invalid_type"),
        ({"tools": ["web_search"]}, "tools", "invalid_type"),
        ({"tools": [{"type": "web_search", "user_location": "RU"}]}, "tools", "invalid_type"),
        ({"max_tool_calls": 1.5}, "max_tool_calls", "invalid_type"),
        ({"colour": "red"}, "colour", "unknown_parameter"),
        ({"include": ["everything"]}, "include[0]", "invalid_value"),
        ({"input": ""}, "input", "missing_required_parameter"),
        ({"model": ""}, "model", "missing_required_parameter"),
        ({"max_output_tokens": 1}, "max_output_tokens", "value_out_of_range"),
        ({"temperature": "hot"}, "temperature", "invalid_type"),
        ({"metadata": {"a": 1}}, "metadata", "invalid_type"),
        ({"stream": True}, "stream", "unsupported"),
    ],
)
async def test_a_wrong_request_is_refused_as_the_real_one_refuses_it(
    http: AsyncClient, simulator: Simulator, more: dict[str, object], param: str, code: str
) -> None:
    reply = await create(http, "chatgpt", PROMPT, **more)

    error = reply.json()["error"]
    assert (reply.status_code, error["param"], error["code"]) == (400, param, code)
    assert not simulator.world.ledger.purchases


async def test_a_model_that_does_not_exist_is_not_found(openai: AsyncOpenAI) -> None:
    with pytest.raises(NotFoundError) as error:
        await openai.responses.create(model="sonar", input=PROMPT)

    assert error.value.code == "model_not_found"


async def test_a_body_that_is_no_json_is_refused(http: AsyncClient) -> None:
    for body in (b"{", b"[]", b""):
        reply = await http.post("/openai/v1/responses", content=body)

        assert reply.status_code == 400


async def test_replies_carry_the_headers_of_the_real_one_and_the_mark(http: AsyncClient) -> None:
    reply = await create(http, "chatgpt", PROMPT)

    assert reply.headers["x-request-id"].startswith("req_")
    assert reply.headers["x-ratelimit-reset-requests"] == "12ms"
    assert reply.headers["x-quoth-simulator"] == "1"
    assert (await http.get("/nowhere")).headers["x-quoth-simulator"] == "1"


async def test_a_rate_limit_tells_when_to_come_back(openai: AsyncOpenAI) -> None:
    with pytest.raises(RateLimitError) as error:
        await ask(openai, f"{PROMPT} [[fault:429 after=3]]")

    assert error.value.response.headers["retry-after"] == "3"
    assert error.value.code == "rate_limit_exceeded"


async def test_messages_with_parts_are_understood(openai: AsyncOpenAI) -> None:
    response = await openai.responses.create(
        model="gpt-5.6",
        input=[
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "input_text", "text": PROMPT}]},
        ],
    )

    assert "банк" in final(response).text


async def test_a_foreground_response_cannot_be_cancelled(openai: AsyncOpenAI) -> None:
    response = await openai.responses.create(model="gpt-5.6", input=PROMPT)

    with pytest.raises(BadRequestError):
        await openai.responses.cancel(response.id)


async def test_a_foreground_response_that_is_not_stored_cannot_be_fetched(
    openai: AsyncOpenAI,
) -> None:
    response = await openai.responses.create(model="gpt-5.6", input=PROMPT, store=False)

    with pytest.raises(APIStatusError) as error:
        await openai.responses.retrieve(response.id)

    assert error.value.status_code == 404
