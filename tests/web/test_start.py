import asyncio
import re

import pytest

from quoth.storage import Database
from tests.api.harness import engines
from tests.capture.harness import check, values
from tests.web.harness import FORM, field, open_pages, text_of


async def test_a_form_starts_a_check_and_leads_to_its_page(database: Database) -> None:
    async with open_pages(database) as browser:
        answer = await browser.post("/checks", data=FORM)

    assert (answer.status_code, answer.headers["location"]) == (303, "/checks/1")
    started = await check(database, 1)
    assert (started.total, started.samples, started.started_by) == (8, 2, "page")
    assert started.ours.aliases == ("Tochka", "банк Точка")
    assert [brand.name for brand in started.brands] == ["Точка", "Сбербанк", "Т-Банк"]
    assert [prompt.text for prompt in started.prompts] == [
        "Лучший банк для ИП?",
        "Где открыть счёт?",
    ]


async def test_a_double_click_makes_one_check(database: Database) -> None:
    async with open_pages(database) as browser:
        clicks = await asyncio.gather(*(browser.post("/checks", data=FORM) for _ in range(5)))

    assert {click.headers["location"] for click in clicks} == {"/checks/1"}
    assert await values(database, b"select count(*) from capture.check_run") == [1]


async def test_each_form_has_a_key_of_its_own(database: Database) -> None:
    async with open_pages(database) as browser:
        keys = {field((await browser.get("/")).text, "key") for _ in range(2)}

    assert len(keys) == 2
    assert all(len(key) > 16 for key in keys)


async def test_a_form_that_was_changed_after_it_started_a_check_is_given_back_with_a_new_key(
    database: Database,
) -> None:
    async with open_pages(database) as browser:
        await browser.post("/checks", data=FORM)
        refused = await browser.post("/checks", data={**FORM, "samples": "3"})
        again = await browser.post(
            "/checks", data={**FORM, "samples": "3", "key": field(refused.text, "key")}
        )

    assert refused.status_code == 409
    assert "Press Check again" in refused.text
    assert again.headers["location"] == "/checks/2"


@pytest.mark.parametrize(
    ("changed", "at", "said"),
    [
        ({"brand": " "}, "brand-wrong", "Name the brand."),
        ({"domains": "not a domain"}, "brand-wrong", "'not a domain' is not a domain"),
        ({"competitors": "точка"}, "competitors-wrong", "cannot be its own competitor"),
        ({"prompts": " \n "}, "prompts-wrong", "Write at least one prompt."),
        ({"prompts": "x" * 4001}, "prompts-wrong", "at most 4,000 characters"),
        ({"engines": []}, "engines-wrong", "Choose at least one engine."),
        ({"samples": "0"}, "samples-wrong", "Between 1 and 100, please."),
        ({"samples": "two"}, "samples-wrong", "Between 1 and 100, please."),
    ],
)
async def test_what_is_wrong_is_said_at_its_field_and_nothing_typed_is_lost(
    database: Database, changed: dict[str, str], at: str, said: str
) -> None:
    typed = {**FORM, **changed}

    async with open_pages(database) as browser:
        refused = await browser.post("/checks", data=typed)

    assert refused.status_code == 422
    message = re.search(rf'id="{at}">(.*?)</p>', refused.text)
    assert message
    assert said in text_of(message[1])
    for name in ("brand", "aliases", "domains", "samples", "key"):
        assert field(refused.text, name) == typed[name]
    assert "Сбербанк, Сбер\nТ-Банк" in refused.text or "competitors" in changed
    assert refused.text.count(" checked") == len(typed["engines"])
    assert await values(database, b"select count(*) from capture.check_run") == [0]


async def test_the_number_of_calls_is_told_without_javascript_after_a_refusal(
    database: Database,
) -> None:
    async with open_pages(database) as browser:
        refused = await browser.post("/checks", data={**FORM, "brand": ""})

    assert re.search(r"data-count-calls>8<", refused.text)


async def test_an_engine_without_a_key_names_its_variable_and_cannot_be_chosen(
    database: Database,
) -> None:
    async with open_pages(database, engines("perplexity")) as browser:
        page = (await browser.get("/")).text
        forced = await browser.post("/checks", data={**FORM, "engines": ["chatgpt"]})

    chatgpt = re.search(r'<input[^>]*value="chatgpt"[^>]*>', page)
    assert chatgpt
    assert "disabled" in chatgpt.group()
    assert "QUOTH_CHATGPT_API_KEY" in page
    assert forced.status_code == 422
    assert "set QUOTH_CHATGPT_API_KEY" in forced.text


async def test_what_was_typed_is_text_wherever_it_stands(database: Database) -> None:
    evil = '"><script>alert(1)</script>'
    typed = {**FORM, "brand": f"Br{evil}", "competitors": f"Co{evil}", "prompts": f"Pr{evil}"}

    async with open_pages(database) as browser:
        await browser.post("/checks", data=typed)
        refused = await browser.post("/checks", data={**typed, "samples": evil})
        pages = [refused, *[await browser.get(path) for path in ("/", "/checks", "/checks/1")]]

    assert [page.text.count("<script>alert") for page in pages] == [0] * 4


async def test_the_list_goes_on_from_its_cursor(database: Database) -> None:
    async with open_pages(database) as browser:
        for number in range(3):
            await browser.post("/checks", data={**FORM, "key": f"{number}"})
        whole = (await browser.get("/checks")).text
        later = (await browser.get("/checks?before=3")).text

    assert re.findall(r'href="/checks/(\d+)"', whole) == ["3", "2", "1"]
    assert re.findall(r'href="/checks/(\d+)"', later) == ["2", "1"]


async def test_where_no_earlier_check_is_nobody_is_told_to_start_the_first(
    database: Database,
) -> None:
    async with open_pages(database, language="ru") as browser:
        none = text_of((await browser.get("/checks")).text)
        await browser.post("/checks", data=FORM)
        earlier = text_of((await browser.get("/checks?before=1")).text)

    assert "Начните первую" in none
    assert "Более ранних проверок нет." in earlier
    assert "Начните первую" not in earlier
