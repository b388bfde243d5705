"""Axe has nothing against any page, in either language, light or dark, wide or narrow."""

from pathlib import Path
from typing import NoReturn

import pytest
from playwright.async_api import Page

from quoth.storage import Database, DatabaseUnavailable
from tests.browser.harness import PAGES, TOKEN, at_every_stage, open_browser, serve
from tests.capture.harness import engines_of

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
LOCALES = {"en": "en-US", "ru": "ru-RU"}


def axe() -> str:
    if not AXE.is_file():
        pytest.fail(
            f"{AXE} is not there, so that nobody knows whether the pages are accessible. It comes "
            "when the bundle is built: remove quoth/web/static/dist and run `make setup`, or run "
            "`npm ci` in frontend/.",
            pytrace=False,
        )
    return AXE.read_text("utf-8")


async def against(page: Page) -> list[str]:
    """What axe has against the page as it stands, in light and in dark."""
    found: list[str] = []
    for scheme in ("light", "dark"):
        await page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
        result = await page.evaluate(
            "rules => axe.run(document, {runOnly: {type: 'tag', values: rules}})", list(RULES)
        )
        found += [
            f"{page.url} {scheme}: {each['id']}: {node['target']} {node['failureSummary']}"
            for each in result["violations"]
            for node in each["nodes"]
        ]
    return found


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("language", ["en", "ru"])
async def test_axe_has_nothing_against_any_page(
    database: Database, monkeypatch: pytest.MonkeyPatch, language: str, width: int
) -> None:
    script = axe()
    ready = await at_every_stage(database)
    found: list[str] = []

    async with (
        open_browser() as browser,
        serve(database, ready) as address,
        serve(database, engines_of(), token=TOKEN) as guarded,
    ):
        context = await browser.new_context(
            locale=LOCALES[language],
            viewport={"width": width, "height": 900},
            reduced_motion="reduce",
        )
        await context.add_init_script(script)
        page = await context.new_page()
        for path in PAGES.values():
            await page.goto(address + path)
            found += await against(page)
        await page.goto(address)
        await page.fill("#brand", " ")
        await page.fill("#prompts", " ")
        await page.click("button.primary")
        await page.wait_for_selector("#brand-wrong")
        found += await against(page)
        await page.goto(guarded)
        await page.fill("#token", "a guess")
        await page.click("main button")
        await page.wait_for_selector("#token-wrong")
        found += await against(page)
        await page.fill("#token", TOKEN)
        await page.click("main button")
        await page.wait_for_selector("form.new")
        found += await against(page)

        monkeypatch.setattr("quoth.web.checks.show.load_check", away)
        await page.goto(f"{address}/checks/1")
        await page.wait_for_selector(".code:text-is('503')")
        found += await against(page)

    assert found == [], "\n".join(found)


async def away(*_: object) -> NoReturn:
    raise DatabaseUnavailable("away")
