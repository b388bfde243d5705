import asyncio

import pytest

from quoth.capture.ask_engine import ask_engine
from quoth.capture.cancel_check import cancel_check
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.retry_captures import retry_captures
from quoth.queue.change import change_of
from quoth.queue.finish import finish
from quoth.queue.run import Run
from quoth.storage import Database, NotFound
from tests.capture.harness import (
    WORKSPACE,
    Scripted,
    check,
    claim,
    end,
    run,
    start,
    values,
    work,
)


async def test_what_waits_ends_at_once(database: Database) -> None:
    check_id = await start(database, prompts=3)

    await cancel_check(database, WORKSPACE, check_id)

    view = await check(database, check_id)
    assert view.state == "cancelled"
    assert {(one.outcome, one.state, one.reason) for one in view.captures} == {
        ("cancelled", "cancelled", "cancelled")
    }
    assert view.ended_at is not None
    assert await values(database, b"select distinct state from queue.job") == ["cancelled"]


async def test_what_runs_ends_through_its_worker(database: Database) -> None:
    provider = Scripted(collect_gate=asyncio.Event())
    check_id = await start(database, provider, prompts=2)
    kind = ask_engine(database, {"perplexity": provider})
    [job] = await claim(database, limit=1)
    trying = Run(database, job)
    task = asyncio.create_task(end(database, kind, job, trying))
    await provider.collecting.wait()

    await cancel_check(database, WORKSPACE, check_id)
    during = await check(database, check_id)
    trying.stop("cancelled")
    await task

    assert (during.state, during.over) == ("running", 1)
    assert (await check(database, check_id)).state == "cancelled"
    assert provider.cancelled == ["resp_1"]


async def test_an_answer_that_comes_all_the_same_is_kept(database: Database) -> None:
    provider = Scripted()
    check_id = await start(database, provider, prompts=2)
    kind = ask_engine(database, {"perplexity": provider})
    [job] = await claim(database, limit=1)
    outcome = await Run(database, job).outcome(kind.handle)
    assert outcome is not None

    await cancel_check(database, WORKSPACE, check_id)

    # The worker had its answer before it heard of the cancellation.
    await finish(database, {kind.name: kind}, [change_of(job, outcome)])
    view = await check(database, check_id)
    assert view.state == "cancelled"
    assert sorted(str(one.outcome) for one in view.captures) == ["answered", "cancelled"]


async def test_a_check_that_is_over_stays_what_it_is(database: Database) -> None:
    provider = Scripted()
    check_id = await start(database, provider)
    await work(database, provider)

    await cancel_check(database, WORKSPACE, check_id)

    assert (await check(database, check_id)).state == "complete"
    assert await values(database, b"select cancelled_at from capture.check_run") == [None]


async def test_cancelling_twice_is_cancelling(database: Database) -> None:
    check_id = await start(database, prompts=5)

    await asyncio.gather(*(cancel_check(database, WORKSPACE, check_id) for _ in range(3)))

    assert (await check(database, check_id)).state == "cancelled"


async def test_other_checks_go_on(database: Database) -> None:
    provider = Scripted()
    first = await start(database, provider)
    second = await start(database, provider)

    await cancel_check(database, WORKSPACE, first)
    await work(database, provider)

    assert (await check(database, second)).state == "complete"


async def test_pages_hear_of_it(database: Database) -> None:
    check_id = await start(database)
    heard: list[str] = []
    database.notices.subscribe(CHECK_CHANGED, heard.append)

    await cancel_check(database, WORKSPACE, check_id)

    assert set(heard) == {str(check_id)}


async def test_a_check_that_is_not_there_cannot_be_cancelled(database: Database) -> None:
    with pytest.raises(NotFound):
        await cancel_check(database, WORKSPACE, 4711)


async def test_a_cancelled_check_can_be_taken_up_again(database: Database) -> None:
    provider = Scripted()
    check_id = await start(database, provider, prompts=2)
    [job] = await claim(database, limit=1)
    await run(database, ask_engine(database, {"perplexity": provider}), job)
    await cancel_check(database, WORKSPACE, check_id)

    retried = await retry_captures(database, WORKSPACE, check_id, None)
    await work(database, provider)

    assert retried == 1
    assert (await check(database, check_id)).state == "complete"
