"""What holds for each page: its headers, its words, and what it says when something is wrong."""

import re

import pytest

from quoth.storage import Database, DatabaseUnavailable
from tests.capture.harness import Scripted, engines_of, start, work
from tests.web.harness import FORM, open_pages

PATHS = ("/", "/checks", "/checks/1", "/captures/1", "/queue", "/nowhere", "/checks/999")
CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)


@pytest.mark.parametrize("path", [*PATHS, "/captures/1/raw", "/sign-in"])
async def test_a_browser_is_told_what_no_answer_of_ours_may_do(
    database: Database, path: str
) -> None:
    async with open_pages(database) as browser:
        answer = await browser.get(path)

    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", PATHS)
async def test_a_page_keeps_to_the_policy_itself(database: Database, path: str) -> None:
    provider = Scripted()
    await start(database, provider)
    await work(database, provider)

    async with open_pages(database, engines_of(provider)) as browser:
        html = (await browser.get(path)).text

    assert not re.search(r"\sstyle=|\son\w+=|<style", html)
    assert re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL) == [""]
    loaded = re.findall(r'<(?:script|img)[^>]*\bsrc="([^"]*)"', html)
    loaded += re.findall(r'<link[^>]*\bhref="([^"]*)"', html)
    assert all(address.startswith("/static/") for address in loaded)
    assert len(loaded) == 3


async def test_what_pages_load_is_there_for_ever(database: Database) -> None:
    async with open_pages(database) as browser:
        html = (await browser.get("/")).text
        files = [await browser.get(path) for path in re.findall(r'"(/static/[^"]+)"', html)]
        missing = await browser.get("/static/gone.js")

    assert [file.status_code for file in files] == [200] * 3
    assert all("immutable" in file.headers["cache-control"] for file in files)
    assert all(len(re.findall(r"-[A-Z0-9]{8}\.", str(file.url))) == 1 for file in files)
    assert missing.status_code == 404
    assert missing.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("how", "path", "status"),
    [
        ("GET", "/nowhere", 404),
        ("GET", "/checks/999", 404),
        ("GET", "/checks/99999999999999999999", 404),
        ("GET", "/captures/999/raw", 404),
        ("GET", "/checks?before=x", 404),
        ("POST", "/checks/999/cancel", 404),
        ("POST", "/checks/999/retry", 404),
        ("GET", "/checks/1/cancel", 405),
    ],
)
async def test_what_is_not_there_is_a_page_that_says_what_to_do(
    database: Database, how: str, path: str, status: int
) -> None:
    async with open_pages(database) as browser:
        answer = await browser.request(how, path)

    assert answer.status_code == status
    assert 'href="/checks"' in answer.text


async def test_a_form_of_another_kind_or_size_is_turned_down(database: Database) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    async with open_pages(database) as browser:
        too_large = await browser.post("/checks", content=b"a=" + b"x" * 5_000_000, headers=form)
        too_many = await browser.post("/checks", content=b"a=1&" * 2_000, headers=form)
        other = await browser.post("/checks", json={"brand": "x"})

    assert [too_large.status_code, too_many.status_code, other.status_code] == [413, 400, 415]


async def test_a_database_that_is_away_is_said_to_be_and_loses_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise DatabaseUnavailable("connection refused at secret-host")

    async with open_pages(database) as browser:
        monkeypatch.setattr(Database, "autocommit", away)
        page = await browser.get("/checks/1")
        stream = await browser.get("/checks/1/events")

    assert page.status_code == 503
    assert page.headers["retry-after"] == "5"
    assert "secret-host" not in page.text
    assert "Reload" in page.text
    # A stream that ends is asked for again by the page; one that is refused is not.
    assert stream.status_code == 200


async def test_a_mistake_of_ours_is_a_page_too(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Database, "autocommit", None)

    async with open_pages(database) as browser:
        page = await browser.get("/checks")

    assert page.status_code == 500
    assert "it is our fault" in page.text


@pytest.mark.parametrize("path", PATHS)
async def test_an_english_page_has_no_russian_of_ours(database: Database, path: str) -> None:
    async with open_pages(database) as browser:
        form = {"brand": "Acme", "prompts": "Best?", "competitors": "Other"}
        await browser.post("/checks", data={**FORM, **form, "aliases": "", "language": "en"})
        html = (await browser.get(path)).text

    assert CYRILLIC.findall(html.replace("Русский", "")) == []
    assert '<html lang="en"' in html


async def test_the_language_is_the_one_asked_for_then_chosen_then_preferred(
    database: Database,
) -> None:
    async def language(address: str = "/", **headers: str) -> str:
        html = (await browser.get(address, headers=headers)).text
        found = re.search(r'<html lang="(\w+)"', html)
        assert found
        return found[1]

    async with open_pages(database) as browser:
        assert await language(**{"accept-language": "de, ru;q=0.8, en;q=0.5"}) == "ru"
        assert await language(**{"accept-language": "ru;q=0, en;q=0.1"}) == "en"
        assert await language(**{"accept-language": "fr;q=x,;,,"}) == "en"
        assert await language("/checks?lang=ru") == "ru"
        assert await language(**{"accept-language": "en"}) == "ru"
        assert await language("/?lang=xx") == "ru"


async def test_a_language_is_chosen_without_losing_the_place(database: Database) -> None:
    async with open_pages(database) as browser:
        html = (await browser.get("/checks?before=7&lang=en")).text

    assert 'href="/checks?before=7&amp;lang=ru"' in html
