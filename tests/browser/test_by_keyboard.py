"""By keyboard, without movement, on paper, and while the network is slow."""

import asyncio
import re

import pytest
from playwright.async_api import Page, Route

from quoth.storage import Database
from tests.api.harness import end_captures
from tests.browser.harness import PAGES, at_every_stage, open_browser, serve
from tests.capture.harness import Scripted, engines_of, start, values

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FOCUSED = """() => {
  const focused = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused.closest(".choice") ?? focused);
  return [focused.id || focused.getAttribute("href") || focused.value || focused.textContent.trim(),
    outlineStyle !== "none" && parseFloat(outlineWidth) >= 2];
}"""


# What lies on paper as a dark area; a bar of figures may.
DARK = """() => [...document.querySelectorAll("main *")].filter((each) => {
  const [red, green, blue, opaque = 1] =
    getComputedStyle(each).backgroundColor.match(/[\\d.]+/g).map(Number);
  return opaque > 0 && (red + green + blue) / 3 < 128;
}).map((each) => each.className)"""

# What a sheet cuts off, or what reaches into its margin.
BESIDE = """() => {
  const edge = document.querySelector("main").getBoundingClientRect().right + 1;
  return [...document.querySelectorAll("main *")].filter((each) =>
    each.checkVisibility() && each.getBoundingClientRect().right > edge && !each.closest(".unseen"),
  ).map((each) => each.textContent.trim());
}"""

THRICE = """() => {
  const button = document.querySelector("button.primary");
  for (let click = 0; click < 3; click += 1) button.click();
  const ring = getComputedStyle(button, "::before").borderTopWidth;
  return [button.form.getAttribute("aria-busy"), parseFloat(ring) > 0];
}"""


async def walk(page: Page, steps: int) -> list[str]:
    """Where Tab leads; each of these shows that it has the focus."""
    stops = []
    for _ in range(steps):
        await page.keyboard.press("Tab")
        name, shown = await page.evaluate(FOCUSED)
        assert shown, f"{name} does not show that it has the focus"
        stops.append(name)
    return stops


async def test_the_form_is_walked_in_the_order_in_which_it_is_read(database: Database) -> None:

    async with open_browser() as browser, serve(database, engines_of(Scripted())) as address:
        page = await browser.new_page(locale="en-US")
        await page.goto(address)
        stops = await walk(page, 16)

    assert stops == [
        "#main", "/", "/", "/checks", "/queue", "/?lang=ru",
        "brand", "aliases", "domains", "competitors", "prompts", "language", "country",
        "perplexity", "samples", "Check",
    ]  # fmt: skip


async def test_the_first_tab_and_enter_lead_past_the_navigation(database: Database) -> None:

    async with open_browser() as browser, serve(database, engines_of(Scripted())) as address:
        page = await browser.new_page(locale="en-US")
        await page.goto(address)
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        stops = await walk(page, 1)

    assert stops == ["brand"]


async def test_every_answer_is_reached_by_tab_and_opened_by_enter(database: Database) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="en-US")
        await page.goto(address + PAGES["complete"])
        stops = await walk(page, 12)
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/captures/*")

    opened = [stop for stop in stops if stop.startswith("/captures/")]
    assert opened == [f"/captures/{number}" for number in range(1, 5)]


async def test_progress_is_told_politely(database: Database) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="en-US")
        await page.goto(address + PAGES["running"])
        said = page.locator("#progress [role=status]")
        quarter = await said.text_content()
        await said.evaluate("said => { said.kept = true; }")
        await end_captures(database, int(PAGES["running"].rpartition("/")[2]), "no_surface")
        await page.wait_for_selector(".badge.complete")
        end = await said.text_content()
        # Only what changes inside an element that was there is read aloud.
        kept = await said.evaluate("said => said.kept")

    assert (quarter, end, kept) == ("A quarter is over.", "The check is over.", True)


async def test_whoever_wants_no_movement_sees_none(database: Database) -> None:
    ready = await at_every_stage(database)
    moving = "() => document.getAnimations().length"

    async with open_browser() as browser, serve(database, ready) as address:
        still = await browser.new_page(reduced_motion="reduce")
        await still.goto(address + PAGES["running"])
        lively = await browser.new_page(reduced_motion="no-preference")
        await lively.goto(address + PAGES["running"])

        assert await still.evaluate(moving) == 0
        assert await lively.evaluate(moving) > 0


async def test_a_page_is_printed_dark_on_light_and_without_what_can_only_be_clicked(
    database: Database,
) -> None:
    ready = await at_every_stage(database)
    printed: dict[str, object] = {}

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(viewport={"width": 718, "height": 1000})
        await page.emulate_media(media="print", color_scheme="dark")
        for name in ("complete", "partial", "ten engines", "answer", "long answer"):
            await page.goto(address + PAGES[name])
            printed[name] = (
                await page.evaluate("getComputedStyle(document.body).backgroundColor"),
                await page.evaluate("getComputedStyle(document.body).color"),
                await page.evaluate(DARK),
                await page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"),
                await page.evaluate(BESIDE),
                await page.locator("nav, .tools, form, .pager").filter(visible=True).count(),
            )

    as_it_should: object = ("rgb(255, 255, 255)", "rgb(0, 0, 0)", [], True, [], 0)
    assert printed == dict.fromkeys(printed, as_it_should)


async def test_what_is_printed_says_of_which_day_it_is(database: Database) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="ru-RU")
        await page.goto(address + PAGES["complete"])
        day = page.locator(".foot .paper-only")
        on_screen = await day.is_visible()
        await page.emulate_media(media="print")

        assert not on_screen
        assert await day.is_visible()
        assert re.search(r"\d+ \w+ 20\d\d", await day.inner_text())


async def test_on_paper_it_is_still_said_why_there_is_no_answer(database: Database) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="en-US")
        await page.emulate_media(media="print")
        await page.goto(address + PAGES["failed answer"])

        assert await page.get_by_text("The reply cannot be read").first.is_visible()


async def test_a_form_that_is_on_its_way_is_not_sent_again_and_says_so(database: Database) -> None:
    held, sent = asyncio.Event(), []

    async def slowly(route: Route) -> None:
        if route.request.method == "POST":
            sent.append(route.request.post_data)
            await held.wait()
        await route.continue_()

    async with open_browser() as browser, serve(database, engines_of(Scripted())) as address:
        page = await browser.new_page(locale="en-US")
        await start(database, Scripted())
        await page.goto(address)
        await page.route(re.compile("/checks$"), slowly)
        await page.fill("#brand", "Acme")
        await page.fill("#prompts", "Best?")
        busy = await page.evaluate(THRICE)
        held.set()
        await page.wait_for_url("**/checks/2")
        await page.go_back()
        again = await page.get_attribute("form.new", "aria-busy")
        await page.fill("#brand", "Acme")
        await page.fill("#prompts", "Best of all?")
        await page.click("button.primary")
        await page.wait_for_url("**/checks/*")

    assert busy == ["true", True]
    assert again is None
    assert len(sent) == 2
    assert await values(database, b"select count(*) from capture.check_run") == [3]
