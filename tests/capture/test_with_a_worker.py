"""The whole way through a real worker, in one process."""

import asyncio

from quoth.capture.ask_engine import ask_engine
from quoth.capture.cancel_check import cancel_check
from quoth.capture.channels import CHECK_CHANGED
from quoth.queue.job import Kind
from quoth.queue.worker import Pace
from quoth.storage import Database
from tests.capture.harness import WORKSPACE, Scripted, check, route, start, values
from tests.queue.harness import working


def kind_of(database: Database, *providers: Scripted) -> Kind:
    return ask_engine(database, {provider.route.engine: provider for provider in providers})


async def over(database: Database, check_id: int) -> None:
    """Wait for the end of the check, looking whenever it has changed, as a page does."""
    changed = asyncio.Event()
    stop = database.notices.subscribe(CHECK_CHANGED, lambda _: changed.set())
    while (await check(database, check_id)).state == "running":
        await changed.wait()
        changed.clear()
    stop()


async def test_a_check_of_two_engines_is_answered_once_each(database: Database) -> None:
    providers = Scripted(), Scripted(route("chatgpt"))
    lanes = [provider.route.lane for provider in providers]
    async with working(database, kind_of(database, *providers), lanes=lanes):
        check_id = await start(database, *providers, prompts=8, samples=2)
        await over(database, check_id)

    view = await check(database, check_id)
    assert (view.state, view.total, view.over) == ("complete", 32, 32)
    assert [len(provider.sent) for provider in providers] == [16, 16]
    assert await values(database, b"select count(*) from capture.answer") == [32]
    assert await values(database, b"select distinct state from queue.job") == ["done"]


async def test_a_check_is_cancelled_where_it_runs_and_where_it_waits(database: Database) -> None:
    provider = Scripted(collect_gate=asyncio.Event())
    lanes = [provider.route.lane]
    pace = Pace(pool=2)
    async with working(database, kind_of(database, provider), lanes=lanes, pace=pace):
        check_id = await start(database, provider, prompts=5)
        await provider.collecting.wait()
        await cancel_check(database, WORKSPACE, check_id)
        await over(database, check_id)

    view = await check(database, check_id)
    assert view.state == "cancelled"
    assert {capture.outcome for capture in view.captures} == {"cancelled"}
    assert len(provider.cancelled) == len(provider.sent) > 0
