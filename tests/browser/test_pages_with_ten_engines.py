"""However many engines are asked, words stay whole, and prompts and engines in sight."""

import pytest

from quoth.storage import Database
from tests.browser.harness import PAGES, at_every_stage, open_browser, serve

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Words of which a part stands on another line. Models have hyphens and may break at them.
BROKEN = r"""() => {
  const broken = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest(".unseen, thead small, svg")) continue;
    for (const word of text.data.matchAll(/[^\s\u202f-]+/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}"""

MARK = """each => each.addEventListener("scroll", () => { each.dataset.scrolled = ""; })"""

ASIDE = """each => {
  each.scrollLeft = each.scrollWidth;
  return each.scrollLeft;
}"""


@pytest.mark.parametrize(("width", "media"), [(1280, "screen"), (390, "screen"), (718, "print")])
async def test_no_word_is_broken(database: Database, width: int, media: str) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="ru-RU", viewport={"width": width, "height": 900})
        await page.emulate_media(media="print" if media == "print" else "screen")
        await page.goto(address + PAGES["ten engines"])

        assert await page.evaluate(BROKEN) == []


async def test_a_prompt_stays_in_sight_while_its_answers_are_scrolled_by_keyboard(
    database: Database,
) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="en-US", viewport={"width": 1280, "height": 900})
        await page.goto(address + PAGES["ten engines"])
        matrix = page.locator(".scroll.both")
        prompt = page.locator(".matrix tbody th").first
        before = await prompt.bounding_box()
        await matrix.focus()
        await matrix.evaluate(MARK)
        await page.keyboard.press("ArrowRight")
        await page.wait_for_selector(".scroll.both[data-scrolled]")
        aside = await matrix.evaluate(ASIDE)
        last = await page.locator(".matrix thead th").last.bounding_box()

        assert aside > 100
        after = await prompt.bounding_box()
        assert before
        assert after
        assert last
        assert after["x"] == before["x"]
        assert last["x"] + last["width"] <= 1280


async def test_who_is_named_is_seen_at_all_ten_on_a_desk(database: Database) -> None:
    ready = await at_every_stage(database)

    async with open_browser() as browser, serve(database, ready) as address:
        page = await browser.new_page(locale="ru-RU", viewport={"width": 1280, "height": 900})
        await page.goto(address + PAGES["ten engines"])
        table = page.locator("#standings .scroll")

        assert await table.evaluate("each => each.scrollWidth - each.clientWidth") <= 0
