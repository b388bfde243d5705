"""On a phone nothing stands beside the page, whatever is written on it."""

import pytest

from quoth.storage import Database
from tests.browser.harness import PAGES, at_every_stage, open_browser, serve

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Elements that reach over the right edge, but for those inside something that scrolls by itself.
OUTSIDE = """() => [...document.querySelectorAll("main *, header *, footer *")].filter((each) => {
  const box = each.getBoundingClientRect();
  return box.width > 1 && box.right > innerWidth + 1 && !each.closest(".scroll, pre, .unseen");
}).map((each) => `${each.tagName}.${each.getAttribute("class")}`)"""

LABEL = "each => getComputedStyle(each, '::before').content"


@pytest.mark.parametrize("language", ["en-US", "ru-RU"])
async def test_no_page_is_wider_than_a_phone(database: Database, language: str) -> None:
    ready = await at_every_stage(database)
    wide: dict[str, object] = {}

    async with open_browser() as browser, serve(database, ready) as address:
        context = await browser.new_context(locale=language, viewport={"width": 390, "height": 844})
        page = await context.new_page()
        for name, path in PAGES.items():
            await page.goto(address + path)
            width = await page.evaluate("document.scrollingElement.scrollWidth")
            if width > 390 or await page.evaluate(OUTSIDE):
                wide[name] = (width, await page.evaluate(OUTSIDE))

    assert wide == {}


async def test_every_column_of_who_is_named_is_seen_on_a_phone(database: Database) -> None:
    ready = await at_every_stage(database)
    hidden: dict[str, object] = {}

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="ru-RU", viewport={"width": 390, "height": 844})
        for name in ("complete", "partial", "running", "dense", "long"):
            await page.goto(address + PAGES[name])
            table = page.locator("#standings .scroll")
            wide = await table.evaluate("each => each.scrollWidth - each.clientWidth")
            if wide > 0:
                hidden[name] = wide

    assert hidden == {}


async def test_what_an_attempt_cost_is_seen_on_a_phone(database: Database) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="ru-RU", viewport={"width": 390, "height": 844})
        for name in ("answer", "failed answer", "long answer", "waiting answer"):
            await page.goto(address + PAGES[name])
            cost = page.locator(".attempts td[data-is='Стоимость']").first
            box = await cost.bounding_box()

            assert box, name
            assert box["x"] + box["width"] <= 390, name
            assert "Стоимость" in await cost.evaluate(LABEL), name


@pytest.mark.parametrize("language", ["en-US", "ru-RU"])
async def test_the_navigation_is_one_line_on_a_phone(database: Database, language: str) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale=language, viewport={"width": 390, "height": 844})
        await page.goto(address)
        height = await page.locator(".top nav").evaluate("nav => nav.offsetHeight")
        line = await page.locator(".top nav a").first.evaluate("a => a.getClientRects()[0].height")

    assert height < line + 2 < 50
