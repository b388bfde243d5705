"""What the pages' tests share: a browser without JavaScript, on a database of its own."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from html import unescape

from httpx2 import ASGITransport, AsyncClient

from quoth.accounts.access import AccessRules
from quoth.accounts.guard import Guard
from quoth.accounts.workspace import load_workspace
from quoth.capture.engines import Engines
from quoth.storage import Database
from quoth.web.context import Context
from quoth.web.create_pages import create_pages
from tests.api.harness import engines

FORM: dict[str, str | Sequence[str]] = {
    "key": "a-form",
    "brand": "Точка",
    "aliases": "Tochka, банк Точка",
    "domains": "tochka.com",
    "competitors": "Сбербанк, Сбер\nТ-Банк",
    "prompts": "Лучший банк для ИП?\n\nГде открыть счёт?\n",
    "language": "ru",
    "country": "RU",
    "engines": ["chatgpt", "perplexity"],
    "samples": "2",
}


@asynccontextmanager
async def open_pages(
    database: Database,
    ready: Engines | None = None,
    *,
    access: AccessRules | None = None,
    language: str = "en",
) -> AsyncIterator[AsyncClient]:
    async with database.transaction() as tx:
        workspace = await load_workspace(tx)
    chosen = ready or engines("chatgpt", "perplexity")
    pages = create_pages(database, workspace, chosen, access, closing=asyncio.Event())
    guarded = Guard(pages, access or AccessRules(None))
    async with AsyncClient(
        transport=ASGITransport(guarded, raise_app_exceptions=False),
        base_url="http://127.0.0.1:8420",
        headers={"accept-language": language},
    ) as browser:
        yield browser


async def context_on(database: Database, ready: Engines | None = None) -> Context:
    async with database.transaction() as tx:
        workspace = await load_workspace(tx)
    chosen = ready or engines("chatgpt", "perplexity")
    pages = create_pages(database, workspace, chosen, None, closing=asyncio.Event())
    context: Context = pages.state.context
    return context


def text_of(html: str) -> str:
    """What a person reads of a page, white space in order."""
    bare = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(bare).split())


def field(html: str, name: str) -> str:
    """The value of an input as the page has it."""
    tag = re.search(rf'<input[^>]*\bname="{name}"[^>]*>', html)
    assert tag, name
    value = re.search(r'\bvalue="([^"]*)"', tag.group())
    return unescape(value[1]) if value else ""
