import asyncio
import re

import pytest
from httpx2 import AsyncClient
from perplexity import AsyncPerplexity, AuthenticationError, BadRequestError, NotFoundError
from perplexity.generated.api import ResponsesResponseOutput

from quoth.simulator.serve import Simulator
from tests.simulator.asking import answered, create, poll, text_of

PROMPT = "Какую CRM выбрать небольшой компании?"


async def ask(client: AsyncPerplexity, prompt: str = PROMPT) -> str:
    response = await client.responses.create(
        model="perplexity/sonar",
        input=prompt,
        background=True,
        store=True,
        language_preference="ru",
        tools=[{"type": "web_search", "user_location": {"country": "RU"}}],
        extra_body={"tool_choice": "required"},
    )
    assert response.status == "queued"
    return response.id


async def over(client: AsyncPerplexity, response_id: str) -> ResponsesResponseOutput:
    while True:
        response = await client.responses.retrieve(response_id)
        if response.status not in ("queued", "in_progress"):
            return response
        await asyncio.sleep(0.01)


async def test_the_sdk_reads_a_background_response_to_its_end(perplexity: AsyncPerplexity) -> None:
    done = await over(perplexity, await ask(perplexity))

    assert (done.status, done.model) == ("completed", "perplexity/sonar")
    [search] = [item for item in done.output if item.type == "search_results"]
    [message] = [item for item in done.output if item.type == "message"]
    assert message.content[0].annotations == []
    numbers = {int(mark) for mark in re.findall(r"\[(\d+)\]", message.content[0].text)}
    assert numbers
    assert numbers <= {int(result.id) for result in search.results}
    assert all(result.url.startswith("https://") and result.title for result in search.results)


async def test_it_says_what_it_cost(perplexity: AsyncPerplexity) -> None:
    done = await over(perplexity, await ask(perplexity))

    assert done.usage is not None
    assert done.usage.cost is not None
    parts = (done.usage.cost.input_cost, done.usage.cost.output_cost)
    searching = done.usage.cost.tool_calls_cost or 0
    assert done.usage.cost.total_cost == pytest.approx(sum(parts) + searching)
    assert searching > 0


async def test_both_addresses_take_the_same_request(http: AsyncClient) -> None:
    body = await answered(http, "perplexity", PROMPT)
    request = {"model": "perplexity/sonar", "input": PROMPT}

    reply = await http.post("/perplexity/v1/responses", json=request)

    assert body["status"] == reply.json()["status"] == "completed"


async def test_a_model_that_is_not_pinned_may_be_another_vendors(http: AsyncClient) -> None:
    body = await answered(http, "perplexity", PROMPT, model=None, preset="fast")

    assert body["model"] == "openai/gpt-6-luna"


@pytest.mark.parametrize(("choice", "searches"), [("required", 1), ("auto", 0)])
async def test_the_pinned_model_searches_only_when_it_must(
    http: AsyncClient, choice: str, searches: int
) -> None:
    body = await answered(http, "perplexity", PROMPT, tool_choice=choice)

    assert len([i for i in body["output"] if i["type"] == "search_results"]) == searches
    assert bool(re.search(r"\[\d+\]", text_of(body))) == bool(searches)


async def test_what_is_not_stored_cannot_be_fetched(http: AsyncClient) -> None:
    created = await create(http, "perplexity", PROMPT, store=False)

    reply = await poll(http, "perplexity", created.json()["id"])

    assert reply.status_code == 404
    assert reply.json()["error"]["code"] == "not_found"


async def test_a_cancel_is_taken_and_only_once(perplexity: AsyncPerplexity) -> None:
    response_id = await ask(perplexity, f"{PROMPT} [[fault:stuck]]")

    cancelled = await perplexity.responses.cancel(response_id)

    assert (cancelled.response_id, cancelled.status) == (response_id, "cancelling")
    assert (await over(perplexity, response_id)).status == "cancelled"
    with pytest.raises(BadRequestError):
        await perplexity.responses.cancel(response_id)


async def test_a_bad_key_is_refused(simulator: Simulator) -> None:
    async with AsyncPerplexity(
        api_key="bad", base_url=simulator.perplexity_url, max_retries=0
    ) as stranger:
        with pytest.raises(AuthenticationError):
            await ask(stranger)

    assert not simulator.world.ledger.purchases


async def test_the_id_of_another_engine_is_unknown(
    http: AsyncClient, perplexity: AsyncPerplexity
) -> None:
    foreign = (await create(http, "chatgpt", PROMPT)).json()["id"]

    with pytest.raises(NotFoundError):
        await perplexity.responses.retrieve(foreign)


@pytest.mark.parametrize(
    "more",
    [
        {"input": None},
        {"model": None},
        {"model": "sonar"},
        {"tools": [{"type": "telepathy"}]},
        {"tools": 5},
        {"metadata": {"a": 1}},
        {"max_output_tokens": 15},
        {"stream": True},
    ],
)
async def test_a_wrong_request_is_refused(
    http: AsyncClient, simulator: Simulator, more: dict[str, object]
) -> None:
    reply = await create(http, "perplexity", PROMPT, **more)

    assert reply.status_code == 400
    assert reply.json()["error"]["message"]
    assert not simulator.world.ledger.purchases
