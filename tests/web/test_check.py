import re
from datetime import timedelta

import pytest

from quoth.capture.ask_engine import ask_engine
from quoth.providers.contract import Busy, Finding, Reply, Unknown
from quoth.storage import Database
from tests.capture.harness import (
    ANSWER,
    Scripted,
    check,
    claim,
    engines_of,
    lose_worker,
    run,
    run_sql,
    start,
    work,
)
from tests.web.harness import FORM, open_pages, text_of


async def page_of(database: Database, provider: Scripted, path: str = "/checks/1") -> str:
    async with open_pages(database, engines_of(provider)) as browser:
        answer = await browser.get(path)
    assert answer.status_code == 200
    return answer.text


def cell(html: str) -> str:
    found = re.search(r'<td class="cell".*?</td>', html, re.DOTALL)
    assert found
    return text_of(found.group())


async def test_a_cell_says_whether_our_brand_is_named_and_who_else(database: Database) -> None:
    provider = Scripted()
    await start(database, provider)
    await work(database, provider)

    html = await page_of(database, provider)

    assert cell(html).startswith("Perplexity Named, 1 of 2 also: Сбербанк 1 source")
    assert 'data-state="answered"' in html


async def test_an_answer_that_names_nobody_is_not_an_answer_that_is_missing(
    database: Database,
) -> None:
    provider = Scripted(reads=[Reply("answered", "Никого.", "m", searched=True)])
    await start(database, provider)
    await work(database, provider)

    html = await page_of(database, provider)

    assert "not named nor is a competitor 0 sources" in cell(html)
    assert "0 of 1" in text_of(html)


async def test_before_the_first_answer_nothing_is_counted_as_zero(database: Database) -> None:
    provider = Scripted()
    await start(database, provider)

    html = text_of(await page_of(database, provider))

    assert "no answers yet" in html
    assert "0 of 0" not in html
    assert "Cost so far not known" in html


async def test_a_waiting_cell_says_since_when_which_try_follows_when_and_why(
    database: Database,
) -> None:
    provider = Scripted(sends=[Busy("HTTP 429 rate_limit", after=timedelta(minutes=5))])
    await start(database, provider)
    await work(database, provider)

    html = await page_of(database, provider)
    answer = await page_of(database, provider, "/captures/1")

    sentence = (
        r"the engine asks us to slow down \(HTTP 429\); try 1 of 4 follows at \d\d:\d\d:\d\d ?\."
    )
    assert re.search(rf"Waiting \d\ssec {sentence}", cell(html))
    assert re.search(rf"waiting \d\ssec {sentence}", text_of(answer))


async def test_a_cell_whose_lane_cools_down_says_so_before_its_first_try(
    database: Database,
) -> None:
    provider = Scripted(sends=[Busy("HTTP 429 rate_limit", after=timedelta(minutes=5))])
    await start(database, provider, prompts=2)
    [first, _] = await claim(database)
    await run(database, ask_engine(database, {"perplexity": provider}), first)
    await lose_worker(database)

    html = await page_of(database, provider)

    cells = [text_of(found) for found in re.findall(r'<td class="cell".*?</td>', html, re.DOTALL)]
    assert "try 1 of 4 follows at" in cells[0]
    assert re.search(r"in the queue \d\ssec the engine asks us to slow down", cells[1])
    assert re.search(r"; try \d of 4 follows at \d\d:\d\d:\d\d ?\.", cells[1])


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (b"no process here asks Perplexity (sonar-1) by simulator", "no process here asks"),
        (None, "Try 3 of 4 has been due since"),
    ],
)
async def test_what_is_due_and_is_not_taken_does_not_promise_a_time_that_is_over(
    database: Database, reason: bytes | None, said: str
) -> None:
    provider = Scripted()
    await start(database, provider)
    await run_sql(
        database,
        b"update queue.job set state = 'waiting', tries = 2, due_at = now() - interval '1 minute',"
        b" reason = %(reason)s",
        reason=None if reason is None else reason.decode(),
    )

    html = cell(await page_of(database, provider))

    assert said in html
    assert "3 of 4 has been due since" in html
    assert "follows" not in html


async def test_a_failed_cell_says_why_and_what_may_have_been_paid(database: Database) -> None:
    provider = Scripted(sends=[Unknown("sent, but no reply came: reset")])
    await start(database, provider)
    await run_sql(database, b"update queue.job set max_tries = 1")
    await work(database, provider)

    html = cell(await page_of(database, provider))

    assert "failed sent, but no reply came (reset) 1 call possibly paid" in html


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        ("answered_without_search", "without search"),
        ("incomplete", "cut off"),
        ("no_surface", "no AI answer shown"),
        ("refused", "declined"),
    ],
)
async def test_every_finding_has_its_words_and_its_shape(
    database: Database, finding: Finding, said: str
) -> None:
    reply = Reply(finding, ANSWER.text, "m", searched=False)
    provider = Scripted(reads=[reply])
    await start(database, provider)
    await work(database, provider)

    html = await page_of(database, provider)

    assert said in cell(html)
    used = set(re.findall(r'href="#(shape-\w+)"', html))
    assert used
    assert used <= set(re.findall(r'symbol id="(shape-\w+)"', html))


async def test_an_answer_that_was_cut_off_says_who_is_named_in_what_came(
    database: Database,
) -> None:
    provider = Scripted(reads=[Reply("incomplete", ANSWER.text, "m", searched=True)])
    await start(database, provider)
    await work(database, provider)

    html = cell(await page_of(database, provider))

    assert "cut off in it: Точка and Сбербанк" in html
    assert "also" not in html


async def test_cancel_ends_what_is_open_and_shows_the_check(database: Database) -> None:
    async with open_pages(database) as browser:
        await browser.post("/checks", data=FORM)
        running = (await browser.get("/checks/1")).text
        answer = await browser.post("/checks/1/cancel")
        over = (await browser.get("/checks/1")).text

    assert 'action="/checks/1/cancel"' in running
    assert "hx-sse:connect" in running
    assert (answer.status_code, answer.headers["location"]) == (303, "/checks/1")
    assert (await check(database, 1)).state == "cancelled"
    assert "hx-sse:connect" not in over
    assert "Retry 8 without an answer" in over


async def test_retry_asks_again_once_however_often_it_is_pressed(database: Database) -> None:
    async with open_pages(database) as browser:
        await browser.post("/checks", data=FORM)
        await browser.post("/checks/1/cancel")
        for _ in range(2):
            assert (await browser.post("/checks/1/retry")).status_code == 303

    assert {capture.state for capture in (await check(database, 1)).captures} == {"pending"}


async def test_one_capture_can_be_asked_again_alone(database: Database) -> None:
    async with open_pages(database) as browser:
        await browser.post("/checks", data=FORM)
        await browser.post("/checks/1/cancel")
        page = (await browser.get("/captures/3")).text
        await browser.post("/checks/1/retry", data={"capture": "3"})

    assert 'name="capture" value="3"' in page
    reopened = [
        capture.id for capture in (await check(database, 1)).captures if not capture.outcome
    ]
    assert reopened == [3]


async def test_simulated_answers_are_marked_wherever_they_stand(database: Database) -> None:
    provider = Scripted()
    await start(database, provider)
    await work(database, provider)

    async with open_pages(database, engines_of(provider)) as browser:
        pages = [(await browser.get(path)).text for path in ("/", "/checks/1", "/captures/1")]

    assert ["badge simulator" in page for page in pages] == [True] * 3


async def test_a_cell_of_many_samples_says_in_how_many_of_its_answers_we_are_named(
    database: Database,
) -> None:
    nobody = Reply("answered", "Никого.", "m", searched=True)
    provider = Scripted(reads=[nobody, nobody, Reply("refused", "Нет.", "m", searched=False)])
    await start(database, provider, prompts=1, samples=6)
    before = cell(await page_of(database, provider))
    await work(database, provider)

    html = cell(await page_of(database, provider))

    assert "named in" not in before
    assert html.endswith("named in 3 of 5")
