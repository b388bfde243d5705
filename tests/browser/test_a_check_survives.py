"""A person starts a check, closes the page, the server dies: nothing is lost or doubled."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from quoth.simulator.serve import serve_simulator
from quoth.storage import Database
from tests.journeys.processes import Processes, address_of, look

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OUTPUT = Path(__file__).parents[2] / "output"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PROMPTS = "\n".join(f"Какой банк лучше для ИП, вариант {number}?" for number in range(1, 5))


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    found = next(
        path
        for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
        if (path := shutil.which(name))
    )
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        try:
            yield browser
        finally:
            await browser.close()


async def test_a_closed_page_and_a_killed_server_lose_nothing(
    database: Database, processes: Processes
) -> None:
    async with serve_simulator(speed=8) as simulator, open_browser() as browser:
        server = await processes.start("serve", asking=simulator)
        url = await address_of(server)
        page = await browser.new_page(locale="ru-RU", viewport={"width": 1280, "height": 900})
        await page.goto(url)
        await page.fill("#brand", "Точка")
        await page.fill("#competitors", "Сбербанк\nТ-Банк")
        await page.fill("#prompts", PROMPTS)
        await page.fill("#samples", "2")
        await page.dblclick("button.primary")
        await page.wait_for_url("**/checks/*")
        await page.wait_for_selector('[data-state="answered"]', timeout=60_000)
        path = page.url.removeprefix(url)
        await page.close()

        server.kill()
        await server.wait()
        server = await processes.start("serve", asking=simulator)
        url = await address_of(server)
        page = await browser.new_page(locale="ru-RU", viewport={"width": 390, "height": 844})
        await page.goto(url + path)
        await page.wait_for_selector(".badge.complete", timeout=90_000)
        OUTPUT.mkdir(exist_ok=True)
        await page.screenshot(path=OUTPUT / "check-390-ru.png")
        wide = await page.evaluate("document.documentElement.scrollWidth")
        server.terminate()
        await server.wait()
        purchases = len(simulator.world.ledger.purchases)

    left = await look(database)
    assert left.outcomes == ["answered"] * 16
    assert (left.checks, left.answers) == (1, 16)
    assert 16 <= purchases <= 16 + left.admitted
    assert wide <= 390
