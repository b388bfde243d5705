import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from httpx2 import ASGITransport, AsyncClient

from quoth.accounts.workspace import load_workspace
from quoth.capture.cancel_check import cancel_check
from quoth.storage import Database
from quoth.web.check_events import frames
from quoth.web.create_pages import create_pages
from quoth.web.pages import open_house
from tests.api.harness import engines

FORM = {
    "brand": "Точка",
    "competitors": "Сбербанк\nТ-Банк",
    "prompts": "Лучший банк для ИП?\nГде открыть счёт?",
    "language": "ru",
    "country": "RU",
    "samples": "2",
    "engines": ["chatgpt", "perplexity"],
    "key": "one-form",
}


@pytest.fixture
async def browser(database: Database) -> AsyncIterator[AsyncClient]:
    async with database.transaction() as tx:
        workspace = await load_workspace(tx)
    pages = create_pages(
        database, workspace, engines("chatgpt", "perplexity"), None, closing=asyncio.Event()
    )
    transport = ASGITransport(pages)
    async with AsyncClient(transport=transport, base_url="http://127.0.0.1:8420") as client:
        yield client


async def test_a_form_starts_a_check_whose_page_shows_every_cell(browser: AsyncClient) -> None:
    started = await browser.post("/checks", data=FORM)
    page = await browser.get(started.headers["location"])

    assert started.status_code == 303
    assert page.text.count('class="sample"') == 8
    assert "Лучший банк для ИП?" in page.text


async def test_a_double_click_makes_one_check(browser: AsyncClient) -> None:
    first, second = await asyncio.gather(
        browser.post("/checks", data=FORM), browser.post("/checks", data=FORM)
    )

    assert first.headers["location"] == second.headers["location"]


async def test_bad_input_is_said_at_its_field_and_nothing_typed_is_lost(
    browser: AsyncClient,
) -> None:
    refused = await browser.post("/checks", data={**FORM, "samples": "0"})

    assert refused.status_code == 422
    assert 'id="error-samples"' in refused.text
    assert "Где открыть счёт?" in refused.text


async def test_what_a_person_types_is_text(browser: AsyncClient) -> None:
    started = await browser.post("/checks", data={**FORM, "prompts": "<script>x</script>"})
    page = await browser.get(started.headers["location"])

    assert "<script>x" not in page.text
    assert "&lt;script&gt;x" in page.text


@pytest.mark.parametrize("path", ["/", "/checks", "/checks/999", "/static/quoth.css"])
async def test_every_answer_is_harmless(browser: AsyncClient, path: str) -> None:
    answer = await browser.get(path)

    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_the_language_is_the_readers(browser: AsyncClient) -> None:
    russian = await browser.get("/", headers={"accept-language": "ru-RU,ru;q=0.9"})
    english = await browser.get("/", headers={"accept-language": "de"})
    await browser.post("/language", data={"language": "ru", "back": "/"})
    chosen = await browser.get("/", headers={"accept-language": "en"})

    assert "Ваш бренд" in russian.text
    assert "Your brand" in english.text
    assert "Ваш бренд" in chosen.text


async def test_an_unknown_page_is_not_found(browser: AsyncClient) -> None:
    assert (await browser.get("/checks/999")).status_code == 404
    assert (await browser.get("/captures/999/raw")).status_code == 404


async def test_a_stream_tells_the_truth_at_once_and_ends_with_its_check(
    browser: AsyncClient, database: Database
) -> None:
    started = await browser.post("/checks", data=FORM)
    found = re.search(r"\d+$", started.headers["location"])
    assert found
    check_id = int(found.group())
    async with database.transaction() as tx:
        workspace = await load_workspace(tx)
    house = open_house(database, workspace, engines("chatgpt", "perplexity"))

    async with (
        asyncio.timeout(10),
        aclosing(frames(house, asyncio.Event(), check_id, "en")) as seen,
    ):
        first = await anext(seen)
        await cancel_check(database, workspace, check_id)
        rest = [frame async for frame in seen]

    assert first.startswith("event: change")
    assert '"progress"' in first
    assert rest[-1].startswith("event: over")
