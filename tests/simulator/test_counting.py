import asyncio
from math import inf
from pathlib import Path

import pytest
from httpx2 import AsyncClient, ReadTimeout

from quoth.simulator.ledger import Purchase, most_at_once
from quoth.simulator.order import Order
from quoth.simulator.serve import Simulator, serve_simulator
from tests.simulator.asking import (
    answered,
    create,
    poll,
    purchases,
    request_for,
    text_of,
)

PROMPT = "лучший банк для ИП?"
KEY = {"authorization": "Bearer key"}


async def test_each_purchase_is_in_the_books(http: AsyncClient) -> None:
    answer = await answered(http, "chatgpt", PROMPT, metadata={"capture_id": "5"})
    await create(http, "perplexity", PROMPT)

    books = (await http.get("/control/purchases")).json()

    assert (books["count"], books["by_engine"]) == (2, {"chatgpt": 1, "perplexity": 1})
    first = books["purchases"][0]
    assert (first["id"], first["prompt"], first["nth"]) == (answer["id"], PROMPT, 1)
    assert (first["metadata"], first["status"]) == ({"capture_id": "5"}, "ended")
    assert first["in"] < first["out"]
    assert first["polls"] >= 1
    own = (await http.get("/control/purchases", params={"engine": "perplexity"})).json()
    assert own["count"] == 1


async def test_an_answer_may_be_fetched_again_for_nothing(http: AsyncClient) -> None:
    answer = await answered(http, "chatgpt", PROMPT)

    again = (await poll(http, "chatgpt", answer["id"])).json()

    assert again == answer
    assert len(await purchases(http)) == 1


async def test_a_second_purchase_of_a_question_has_another_answer(http: AsyncClient) -> None:
    texts = [text_of(await answered(http, "perplexity", PROMPT)) for _ in range(3)]

    assert len(set(texts)) == 3
    assert [purchase["nth"] for purchase in await purchases(http)] == [1, 2, 3]


async def test_a_reset_begins_the_same_series_anew(http: AsyncClient) -> None:
    before = text_of(await answered(http, "perplexity", PROMPT))
    await http.post("/control/faults", json={"kind": "429"})

    await http.post("/control/reset")

    assert await purchases(http) == []
    assert text_of(await answered(http, "perplexity", PROMPT)) == before


async def test_two_worlds_of_one_seed_say_the_same(http: AsyncClient) -> None:
    here = await answered(http, "chatgpt", PROMPT)
    texts = []
    for seed in (7, 8):
        async with (
            serve_simulator(seed=seed, speed=1_000) as other,
            AsyncClient(base_url=other.url, headers=KEY) as client,
        ):
            texts.append(text_of(await answered(client, "chatgpt", PROMPT)))

    assert texts[0] == text_of(here) != texts[1]


async def test_spans_tell_how_many_jobs_ran_at_once(http: AsyncClient) -> None:
    stuck = f"{PROMPT} [[fault:slow seconds=0.3 times=all]]"
    await asyncio.gather(*(create(http, "chatgpt", stuck) for _ in range(5)))
    await asyncio.sleep(0.4)
    await create(http, "chatgpt", stuck)

    spans = (await http.get("/control/spans")).json()["chatgpt"]

    assert spans["most_jobs_at_once"] == 5
    assert len(spans["spans"]) == 6
    assert 1 <= spans["most_creates_at_once"] <= 5


def test_a_job_that_ends_as_another_begins_does_not_overlap_it() -> None:
    order = Order("q", "q", "m", searches=True, background=True, stored=True, request={})

    def job(begin: float, end: float, cancelled: float | None = None) -> Purchase:
        return Purchase("", "e", order, 1, begin, begin, end, cancelled_at=cancelled)

    assert most_at_once([]) == 0
    assert most_at_once([job(0, 1), job(1, 2)]) == 1
    assert most_at_once([job(0, inf), job(1, 2), job(3, 4)]) == 2
    assert most_at_once([job(0, inf, cancelled=1), job(2, 3)]) == 1


async def test_a_cancelled_job_is_counted_and_ends_there(
    http: AsyncClient, simulator: Simulator
) -> None:
    created = await create(http, "chatgpt", f"{PROMPT} [[fault:stuck]]")
    await http.post(f"/openai/v1/responses/{created.json()['id']}/cancel")

    [purchase] = await purchases(http)

    assert purchase["cancelled"]
    assert purchase["out"] is not None
    assert len(simulator.world.ledger.purchases) == 1


async def test_who_hangs_up_on_a_foreground_call_has_bought_it(http: AsyncClient) -> None:
    prompt = f"{PROMPT} [[fault:slow seconds=5]]"
    request = request_for("perplexity", prompt) | {"background": False}

    with pytest.raises(ReadTimeout):
        await http.post("/perplexity/v1/agent", json=request, timeout=0.2)

    assert len(await purchases(http)) == 1


async def test_with_a_journal_purchases_outlive_the_process(tmp_path: Path) -> None:
    journal = tmp_path / "новая папка" / "purchases.jsonl"
    async with (
        serve_simulator(speed=1_000, journal=journal) as first,
        AsyncClient(base_url=first.url, headers=KEY) as http,
    ):
        kept = await answered(http, "chatgpt", PROMPT)
        stuck = (await create(http, "perplexity", f"{PROMPT} [[fault:stuck]]")).json()
        gone = (await create(http, "chatgpt", PROMPT)).json()
        await http.post(f"/perplexity/v1/responses/{stuck['id']}/cancel")
        await http.delete(f"/openai/v1/responses/{gone['id']}")
    with journal.open("a") as file:
        file.write('{"purchase": {"id": "resp_cut')

    async with (
        serve_simulator(speed=1_000, journal=journal) as second,
        AsyncClient(base_url=second.url, headers=KEY) as http,
    ):
        assert (await poll(http, "chatgpt", kept["id"])).json() == kept
        assert (await poll(http, "perplexity", stuck["id"])).json()["status"] == "cancelled"
        assert (await poll(http, "chatgpt", gone["id"])).status_code == 404
        assert len(await purchases(http)) == 3
        await create(http, "chatgpt", PROMPT)

    async with (
        serve_simulator(speed=1_000, journal=journal) as third,
        AsyncClient(base_url=third.url, headers=KEY) as http,
    ):
        assert [purchase["nth"] for purchase in await purchases(http)] == [1, 1, 2, 3]
        await http.post("/control/reset")

    assert journal.read_bytes() == b""
