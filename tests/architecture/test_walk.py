"""The walk of one check in ARCHITECTURE.md is the way that a check really goes."""

import asyncio
import re
from datetime import timedelta

from httpx2 import ASGITransport, AsyncClient

from quoth.accounts.access import AccessRules
from quoth.accounts.workspace import load_workspace
from quoth.app.engines import known_engines
from quoth.app.http import create_doors
from quoth.capture.ask_engine import ask_engine
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.engines import Engines
from quoth.providers.contract import SIMULATOR
from quoth.providers.registry import ADAPTERS, ProviderSettings, open_provider
from quoth.queue.lanes import ensure_lane
from quoth.queue.worker import Pace, Worker
from quoth.simulator.serve import serve_simulator
from quoth.storage import Database
from tests.architecture.project import ROOT
from tests.architecture.walk import entered

TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
CHECK = {
    # A name of its own: what is remembered of other tests' brands would spare it a part of the way.
    "brand": {"name": "Дальний Путь", "domains": ["way.example"]},
    "competitors": [{"name": "Сбербанк"}],
    "prompts": [{"text": "Лучший банк для ИП?", "language": "ru", "country": "RU"}],
    "engines": ["chatgpt"],
}


def section(title: str) -> list[str]:
    """The modules and templates that a section of the document leads through, in its order."""
    text = TEXT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    return re.findall(r"\]\(quoth/([\w/]+\.(?:py|html))\)", text)


def after_changes(database: Database, count: int) -> asyncio.Event:
    """Set once checks have changed as often as that: a call goes out, its answer is saved."""
    changed = asyncio.Event()
    changes = iter(range(count - 1))

    def heard(_: str) -> None:
        if next(changes, None) is None:
            changed.set()

    database.notices.subscribe(CHECK_CHANGED, heard)
    return changed


async def test_a_check_goes_the_way_that_the_document_says(database: Database) -> None:
    async with (
        serve_simulator(seed=1, speed=1_000) as simulator,
        open_provider(
            ADAPTERS["chatgpt"],
            ProviderSettings(
                api_key="key",
                base_url=simulator.url_of("chatgpt"),
                surface=SIMULATOR,
                poll_floor=timedelta(milliseconds=20),
            ),
        ) as chatgpt,
    ):
        async with database.transaction() as tx:
            workspace = await load_workspace(tx)
            await ensure_lane(tx, chatgpt.route.lane)
        engines = Engines({"chatgpt": chatgpt}, known_engines())
        worker = Worker(
            database,
            [ask_engine(database, engines.ready)],
            [chatgpt.route.lane],
            version="0",
            pace=Pace(drain=timedelta(seconds=1)),
        )
        rules = AccessRules(None, (), loopback=True)
        doors = create_doors(database, workspace, engines, rules, closing=asyncio.Event())
        async with AsyncClient(
            transport=ASGITransport(doors), base_url="http://127.0.0.1:8420"
        ) as client:
            with entered() as way:
                started = await client.post("/api/v1/checks", json=CHECK)
                await worker.run(after_changes(database, 2))
                seen = await client.get(started.headers["location"] + "/events")
                page = f"/checks/{started.json()['id']}"
                shown = await client.get(page)
                live = await client.get(page + "/events")

    walk, beside = section("The walk of one check"), section("Beside the way")
    assert started.status_code == 202
    assert '"state":"complete"' in seen.text
    assert "Дальний Путь" in shown.text
    assert "event: end" in live.text
    assert [module for module in way if module not in beside] == walk
    assert set(walk).isdisjoint(beside)
