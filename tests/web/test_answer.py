from html import unescape

from quoth.providers.contract import Malformed, Raw
from quoth.storage import Database
from tests.capture.harness import Scripted, engines_of, run_sql, start, work
from tests.web.harness import open_pages, text_of


async def test_the_page_has_the_answer_its_brands_its_sources_and_its_ledger(
    database: Database,
) -> None:
    provider = Scripted()
    await start(database, provider)
    await work(database, provider)

    async with open_pages(database, engines_of(provider)) as browser:
        page = (await browser.get("/captures/1")).text

    assert page.count('<mark class="ours" title="Точка"') == 2
    assert page.count('<mark class="theirs" title="Сбербанк"') == 1
    assert 'href="#mention-1"' in page
    assert 'id="mention-1"' in page
    read = text_of(page)
    assert "Точка 2 times" in read
    assert "Рейтинг banki.ru" in read
    assert "Consulted, not cited" in read
    assert "https://example.com/" in read
    assert "It searched for лучший банк" in read
    assert "resp_1" in read
    assert "Cost not known" in read


async def test_an_attempt_that_failed_says_why(database: Database) -> None:
    provider = Scripted(reads=[Malformed("the reply is no <JSON> object", raw=Raw(200, {}, b"x"))])
    await start(database, provider)
    await run_sql(database, b"update queue.job set max_tries = 1")
    await work(database, provider)

    async with open_pages(database, engines_of(provider)) as browser:
        page = await browser.get("/captures/1")

    assert "The reply cannot be read: the reply is no <JSON> object" in text_of(page.text)
    assert "<JSON>" not in page.text
    assert "Ask again" in page.text


async def test_a_capture_that_waits_for_its_turn_says_so(database: Database) -> None:
    provider = Scripted()
    await start(database, provider)

    async with open_pages(database, engines_of(provider)) as browser:
        page = (await browser.get("/captures/1")).text
        raw = await browser.get("/captures/1/raw")

    assert "In the queue" in text_of(page).replace("in the queue", "In the queue")
    assert "Nothing has been sent yet." in page
    assert raw.status_code == 404


async def test_the_raw_reply_is_text_and_nothing_else(database: Database) -> None:
    provider = Scripted(collects=["<script>alert(1)</script>"])
    await start(database, provider)
    await work(database, provider)

    async with open_pages(database, engines_of(provider)) as browser:
        raw = await browser.get("/captures/1/raw")

    assert raw.content == b"body of <script>alert(1)</script>"
    assert raw.headers["content-type"] == "text/plain; charset=utf-8"
    assert raw.headers["x-content-type-options"] == "nosniff"
    assert raw.headers["content-security-policy"] == "default-src 'none'; sandbox"


async def test_sources_of_an_odd_kind_cannot_act(database: Database) -> None:
    provider = Scripted()
    await start(database, provider)
    await work(database, provider)
    await run_sql(
        database, b"update capture.citation set url = 'javascript:alert(1)', title = '<b>x</b>'"
    )

    async with open_pages(database, engines_of(provider)) as browser:
        page = (await browser.get("/captures/1")).text

    assert 'href="javascript' not in page
    assert "<b>x</b>" not in page
    assert "<b>x</b>" in unescape(page)
