from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest
from httpx2 import AsyncClient

from quoth.providers.contract import Rejected
from quoth.storage import Database
from tests.api.harness import open_api
from tests.api.test_checks import assert_problem
from tests.capture.harness import Scripted, run_sql, start, work
from tests.queue.test_reap import ALIVE

LANE = "perplexity/simulator"


@pytest.fixture
async def api(database: Database) -> AsyncIterator[AsyncClient]:
    async with open_api(database) as client:
        yield client


async def test_lanes_and_workers_are_told_as_they_are(api: AsyncClient, database: Database) -> None:
    await start(database, prompts=3)
    gone, alive = uuid4(), uuid4()
    for nth, (worker, silent) in enumerate(((gone, 50), (alive, 0))):
        silence = timedelta(seconds=silent)
        await run_sql(database, ALIVE, id=worker, lock=nth, witnessed=False, silent=silence)

    queue = (await api.get("/queue")).json()

    [lane] = queue["lanes"]
    assert (lane["name"], lane["pending"], lane["in_flight"], lane["waiting"]) == (LANE, 3, 0, 0)
    assert [worker["id"] for worker in queue["workers"]] == [str(alive), str(gone)]
    assert [worker["alive"] for worker in queue["workers"]] == [True, False]
    assert queue["workers"][1]["silent"] > 49
    assert queue["failed"] == 0


@pytest.mark.parametrize("name", [LANE, LANE.replace("/", "%2F")])
async def test_a_lane_is_paused_with_a_reason_and_resumed(
    api: AsyncClient, database: Database, name: str
) -> None:
    await start(database)

    paused = await api.post(f"/queue/lanes/{name}/pause", json={"reason": " no money "})
    seen = (await api.get("/queue")).json()["lanes"][0]
    resumed = await api.post(f"/queue/lanes/{name}/resume")

    assert paused.json() == seen
    assert (seen["reason"], seen["paused_since"] is None) == ("no money", False)
    assert (resumed.json()["reason"], resumed.json()["paused_since"]) == (None, None)


async def test_what_is_wrong_with_a_pause_is_named(api: AsyncClient, database: Database) -> None:
    await start(database)

    unsaid = await api.post(f"/queue/lanes/{LANE}/pause", json={"reason": "  "})
    bare = await api.post(f"/queue/lanes/{LANE}/pause")
    odd = await api.post(f"/queue/lanes/{LANE}/pause", json={"reason": "\0"})
    odd_lane = await api.post("/queue/lanes/%00/resume")
    nowhere = await api.post("/queue/lanes/nowhere/pause", json={"reason": "x"})

    assert "reason" in str(assert_problem(unsaid, 422, "bad-input")["errors"])
    for wrong in (bare, odd, odd_lane):
        assert_problem(wrong, 422, "bad-input")
    assert_problem(nowhere, 404, "not-found")
    assert_problem(await api.post("/queue/lanes/nowhere/resume"), 404, "not-found")


async def test_failed_jobs_are_listed_page_by_page(api: AsyncClient, database: Database) -> None:
    provider = Scripted(sends=[Rejected("first"), Rejected("second")])
    await start(database, provider, prompts=2)
    await work(database, provider)

    newest = (await api.get("/queue/failed", params={"limit": 1, "lane": LANE})).json()
    rest = (await api.get("/queue/failed", params={"cursor": newest["next"]})).json()

    reasons = [page["jobs"][0]["reason"] for page in (newest, rest)]
    assert ["first" in reason for reason in reasons] == [False, True]
    assert (len(newest["jobs"]), len(rest["jobs"]), rest["next"]) == (1, 1, None)
    assert_problem(await api.get("/queue/failed", params={"lane": "nowhere"}), 404, "not-found")
