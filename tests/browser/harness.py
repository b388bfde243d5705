"""What the browser's tests share: Chromium, and a server with a check at every stage."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

from playwright.async_api import Browser, async_playwright

from quoth.accounts.workspace import load_workspace
from quoth.app.http import serve_http
from quoth.capture.ask_engine import ask_engine
from quoth.capture.cancel_check import cancel_check
from quoth.capture.engines import EngineInfo, Engines
from quoth.capture.new_check import NewBrand, NewPrompt
from quoth.capture.start_check import start_check
from quoth.providers.contract import Busy, Link, Malformed, Reply, Unknown
from quoth.queue.claim import claim_jobs
from quoth.queue.hold import Hold
from quoth.queue.lanes import ensure_lane
from quoth.settings.read import read_settings
from quoth.storage import Database, Transaction
from tests.capture.harness import (
    ANSWER,
    ME,
    WORKSPACE,
    Scripted,
    engines_of,
    new_check,
    route,
    run,
    run_sql,
    start,
)

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
TOKEN = "a-token-of-some-length"

# What no line has room for.
LONG_NAME = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
LONG_PROMPT = "https://example.com/" + "неразрывно" * 40
LONG_ANSWER = replace(
    ANSWER,
    text=f"# {'з' * 200}\n\nТочка — {LONG_PROMPT}\n\n`{'x' * 300}`\n\n    {'y' * 300}\n\n"
    f"|{'a|' * 12}\n|{'-|' * 12}\n|{'столбец|' * 12}\n\n{LONG_NAME}\n\n- {'n' * 200}",
    queries=("q" * 200,),
    links=(
        Link("https://example.com/" + "p" * 400, None, used=True),
        Link(f"https://{'d' * 60}.{'e' * 60}.example.com/t", "T" * 200, used=False),
    ),
)

# By name, where each page is once `at_every_stage` has been.
PAGES = {
    "start": "/",
    "list": "/checks",
    "complete": "/checks/1",
    "partial": "/checks/2",
    "long": "/checks/3",
    "running": "/checks/4",
    "dense": "/checks/5",
    "ten engines": "/checks/6",
    "cancelled": "/checks/7",
    "answer": "/captures/1",
    "failed answer": "/captures/8",
    "long answer": "/captures/18",
    "failed long answer": "/captures/20",
    "waiting answer": "/captures/22",
    "no earlier": "/checks?before=1",
    "queue": "/queue",
    "not found": "/nowhere",
}

TEN = (
    "ChatGPT", "Perplexity", "Gemini", "Copilot", "Google AI Overviews", "Google AI Mode",
    "Claude", "Grok", "DeepSeek", "YandexGPT",
)  # fmt: skip


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    """The Chromium of the machine."""
    found = next(path for name in NAMES if (path := shutil.which(name)))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def serve(database: Database, ready: Engines, *, token: str = "") -> AsyncIterator[str]:
    """Serve pages and API on a port of their own; yield the address. Nobody works the jobs."""
    environment = {"QUOTH_CONFIG": os.devnull, "QUOTH_LISTEN": "127.0.0.1:0"}
    if token:
        environment["QUOTH_ACCESS_TOKEN"] = token
    settings = read_settings(["chatgpt", "perplexity"], environment=environment)
    async with database.transaction() as tx:
        workspace = await load_workspace(tx)
    stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(
        serve_http(settings, database, workspace, ready, stop=stop, ready=address.set_result)
    )
    try:
        await asyncio.wait({serving, address}, return_when=asyncio.FIRST_COMPLETED)
        yield str(address.result()).rstrip("/")
    finally:
        stop.set()
        await serving


async def at_every_stage(database: Database) -> Engines:
    """Checks that are complete, partial, overlong, running, dense, wide, cancelled: `PAGES`."""
    chatgpt = Scripted(route("chatgpt", model="gpt-5"))
    perplexity = Scripted()
    both = (chatgpt, perplexity)
    await start(database, *both, prompts=2)
    await _work(database, both)

    chatgpt.reads = [
        ANSWER,
        Reply("refused", "Нет.", "m", searched=False),
        Reply("incomplete", ANSWER.text, "m", searched=True),
        Reply("no_surface", "", "m", searched=False),
        Reply("answered_without_search", "Никого.", "m", searched=False),
        Malformed("the reply is no JSON object"),
    ]
    perplexity.sends = [Unknown("sent, but no reply came: reset by peer"), Malformed("odd")]
    await start(database, *both, prompts=6)
    await run_sql(database, b"update queue.job set max_tries = 1 where state = 'pending'")
    await _work(database, both)

    perplexity.reads = [LONG_ANSWER, Malformed("the reply is no " + "J" * 300)]
    long = replace(
        new_check(
            prompts=[NewPrompt(LONG_PROMPT), NewPrompt("Лучший банк? " * 200)],
            engines=("chatgpt", "perplexity"),
            competitors=(NewBrand(LONG_NAME), NewBrand("Сбербанк")),
        ),
        brand=NewBrand(LONG_NAME[::-1]),
    )
    await start_check(database, WORKSPACE, engines_of(*both), long)
    await _work(database, both)

    perplexity.sends = [Busy("HTTP 429 rate_limit", after=timedelta(hours=1))]
    await start(database, *both, prompts=4)
    await _work(database, (chatgpt,), limit=2)
    await _work(database, (perplexity,), limit=1)
    [asked, _] = await claim_jobs(database, chatgpt.route.lane, worker=ME, limit=2)
    await Hold(database, asked).start(_nothing, call=timedelta(hours=1))

    await start(database, *both, prompts=3, samples=5)
    await _work(database, (chatgpt,))

    ten = await _ask_ten(database)
    cancelled = await start(database, chatgpt, prompts=2)
    await cancel_check(database, WORKSPACE, cancelled)
    return ten


async def _ask_ten(database: Database) -> Engines:
    """A check of ten engines, of which the last three have not answered."""
    names = {title.lower().replace(" ", "-"): title for title in TEN}
    asked = [Scripted(route(name, model=f"{name}-2026-04-14")) for name in names]
    async with database.transaction() as tx:
        for provider in asked:
            await ensure_lane(tx, provider.route.lane, slots=10)
    ten = Engines(
        {provider.route.engine: provider for provider in asked},
        {name: EngineInfo(name, title, f"QUOTH_{name}_API_KEY") for name, title in names.items()},
    )
    new = new_check(
        prompts=3,
        engines=tuple(names),
        competitors=(NewBrand("Сбербанк", ("Сбер",)), NewBrand("Райффайзенбанк")),
    )
    await start_check(database, WORKSPACE, ten, new)
    await _work(database, asked[:7])
    return ten


async def _work(database: Database, providers: Sequence[Scripted], *, limit: int = 1000) -> None:
    for provider in providers:
        kind = ask_engine(database, {provider.route.engine: provider})
        for job in await claim_jobs(database, provider.route.lane, worker=ME, limit=limit):
            await run(database, kind, job)


async def _nothing(tx: Transaction) -> None:
    """There is nothing to save."""
