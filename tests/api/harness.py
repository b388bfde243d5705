"""What the API's tests share: an API on a database of its own, and a way to end captures."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from httpx2 import ASGITransport, AsyncClient
from starlette.applications import Starlette
from starlette.routing import Mount

from quoth.accounts.workspace import load_workspace
from quoth.api.create_api import create_api
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.engines import EngineInfo, Engines
from quoth.providers.contract import Accepted, Question, Raw, Reply, Route
from quoth.storage import Database, Statement

END_CAPTURES = Statement(
    b"update capture.capture set outcome = %(outcome)s, ended_at = now()"
    b" where check_id = %(check)s and sample <= %(samples)s"
)

CHECK = {
    "brand": {"name": "Точка", "aliases": ["Tochka"], "domains": ["tochka.com"]},
    "competitors": [{"name": "Сбербанк"}],
    "prompts": [
        {"text": "Лучший банк для ИП?", "language": "ru", "country": "RU"},
        {"text": "Best bank for a small firm?", "language": "en", "country": "US"},
    ],
    "engines": ["chatgpt", "perplexity"],
    "samples": 2,
}


class Unasked:
    """An engine that is ready and that nobody asks: no worker runs in these tests."""

    def __init__(self, engine: str) -> None:
        self.route = Route(
            engine=engine,
            surface="simulator",
            model="model-1",
            create=timedelta(seconds=5),
            deadline=timedelta(minutes=1),
            slots=4,
        )

    async def send(self, question: Question) -> Accepted:
        raise NotImplementedError

    async def collect(self, accepted_ref: str) -> Raw:
        raise NotImplementedError

    async def cancel(self, accepted_ref: str) -> None:
        raise NotImplementedError

    def read(self, raw: Raw) -> Reply:
        raise NotImplementedError


def engines(*ready: str) -> Engines:
    return Engines(
        ready={name: Unasked(name) for name in ready},
        known={
            name: EngineInfo(name, title, f"QUOTH_{name.upper()}_API_KEY")
            for name, title in (("chatgpt", "ChatGPT"), ("perplexity", "Perplexity"))
        },
    )


@asynccontextmanager
async def open_api(
    database: Database, *ready: str, raise_app_exceptions: bool = True
) -> AsyncIterator[AsyncClient]:
    async with database.transaction() as tx:
        workspace = await load_workspace(tx)
    api = create_api(database, workspace, engines(*(ready or ("chatgpt", "perplexity"))))
    mounted = Starlette(routes=[Mount("/api/v1", api)])
    transport = ASGITransport(mounted, raise_app_exceptions=raise_app_exceptions)
    async with AsyncClient(transport=transport, base_url="http://127.0.0.1:8420/api/v1") as client:
        yield client


async def end_captures(
    database: Database, check_id: int, outcome: str = "answered", *, samples: int = 100
) -> None:
    """End the captures of a check up to a sample, as a worker's transaction would."""
    async with database.transaction() as tx:
        await tx.run(END_CAPTURES, check=check_id, outcome=outcome, samples=samples)
        tx.notify(CHECK_CHANGED, str(check_id))
