import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from httpx2 import ASGITransport, AsyncClient
from prometheus_client.parser import text_string_to_metric_families

from quoth.accounts.access import AccessRules
from quoth.accounts.workspace import load_workspace
from quoth.app.http import create_doors
from quoth.queue.lanes import pause_lane
from quoth.storage import Database, DatabaseUnavailable
from tests.capture.harness import Scripted, engines_of, start

LANE = "perplexity/simulator"
METRICS = Path(__file__).parents[2] / "docs" / "metrics.md"
TOKEN = "a-long-enough-access-token"


@asynccontextmanager
async def browser(database: Database, rules: AccessRules) -> AsyncIterator[AsyncClient]:
    async with database.transaction() as tx:
        workspace = await load_workspace(tx)
    doors = create_doors(
        database, workspace, engines_of(Scripted()), rules, closing=asyncio.Event()
    )
    transport = ASGITransport(doors)
    async with AsyncClient(transport=transport, base_url="http://127.0.0.1:8420") as client:
        yield client


async def test_the_queue_is_told_to_a_monitor(database: Database) -> None:
    await start(database, prompts=3)
    async with database.transaction() as tx:
        await pause_lane(tx, LANE, "no money")

    async with browser(database, AccessRules(None, (), loopback=True)) as client:
        reply = await client.get("/metrics")

    assert reply.headers["content-type"].startswith("text/plain")
    figures = {
        (sample.name, sample.labels.get("lane")): sample.value
        for family in text_string_to_metric_families(reply.text)
        for sample in family.samples
    }
    assert figures["quoth_lane_pending", LANE] == 3
    assert figures["quoth_lane_paused", LANE] == 1
    assert figures["quoth_lane_open", LANE] == 0
    assert figures["quoth_lane_in_flight", LANE] == 0
    assert figures["quoth_workers_alive", None] == 0
    assert figures["quoth_postgres_notify_queue_usage", None] < 0.01
    # Nothing of the process itself, and no text that anybody typed.
    assert {name for name, _ in figures if not name.startswith("quoth_")} == set()
    assert "no money" not in reply.text


async def test_what_is_told_is_in_the_documentation(database: Database) -> None:
    await start(database)
    async with browser(database, AccessRules(None, (), loopback=True)) as client:
        reply = await client.get("/metrics")

    told = {family.name for family in text_string_to_metric_families(reply.text)}
    documented = re.findall(r"^\| `(\w+)`", METRICS.read_text("utf-8"), re.MULTILINE)
    assert set(documented) == told


async def test_a_stranger_is_told_nothing(database: Database) -> None:
    async with browser(database, AccessRules(TOKEN, (), loopback=False)) as client:
        stranger = await client.get("/metrics")
        known = await client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})

    assert stranger.status_code == 401
    assert stranger.headers["www-authenticate"].startswith("Bearer")
    assert known.status_code == 200


async def test_a_monitor_hears_when_the_database_is_away(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise DatabaseUnavailable("at secret-host")

    async with browser(database, AccessRules(None, (), loopback=True)) as client:
        monkeypatch.setattr(Database, "autocommit", away)
        reply = await client.get("/metrics")

    assert (reply.status_code, "secret-host" in reply.text) == (503, False)
