import asyncio

import pytest

from quoth.capture.ask_engine import ask_engine
from quoth.capture.cancel_check import cancel_check
from quoth.capture.retry_captures import retry_captures
from quoth.providers.contract import (
    AccountProblem,
    Finding,
    Malformed,
    NotSent,
    Rejected,
    Reply,
)
from quoth.queue.reap import expire
from quoth.storage import Database, NotFound
from tests.capture.harness import (
    ANSWER,
    WORKSPACE,
    Scripted,
    check,
    ledger,
    only_answer,
    run_sql,
    start,
    values,
    work,
)

EMPTY = Reply("empty", "", "sonar-1", searched=True)


async def test_only_what_failed_is_asked_again(database: Database) -> None:
    provider = Scripted(sends=[Rejected("no"), "good", Rejected("no")])
    check_id = await start(database, provider, prompts=3)
    await work(database, provider)
    partial = await check(database, check_id)

    retried = await retry_captures(database, WORKSPACE, check_id, None)
    running = await check(database, check_id)
    await work(database, provider)

    assert (partial.state, retried, running.state, running.over) == ("partial", 2, "running", 1)
    assert (await check(database, check_id)).state == "complete"
    assert len(provider.sent) == 5


async def test_only_the_chosen_ones_are_asked_again(database: Database) -> None:
    provider = Scripted(sends=[Rejected("no"), Rejected("no")])
    check_id = await start(database, provider, prompts=2)
    await work(database, provider)
    [first, _] = (await check(database, check_id)).captures

    assert await retry_captures(database, WORKSPACE, check_id, [first.id, 4711]) == 1

    assert [one.outcome for one in (await check(database, check_id)).captures] == [None, "failed"]


async def test_a_double_click_retries_once(database: Database) -> None:
    provider = Scripted(sends=[Rejected("no")])
    check_id = await start(database, provider)
    await work(database, provider)

    counts = await asyncio.gather(
        *(retry_captures(database, WORKSPACE, check_id, None) for _ in range(3))
    )

    assert sorted(counts) == [0, 0, 1]
    assert await values(database, b"select key from queue.job order by id") == ["1:2"]


async def test_what_runs_is_left_alone(database: Database) -> None:
    check_id = await start(database)

    assert await retry_captures(database, WORKSPACE, check_id, None) == 0


@pytest.mark.parametrize("finding", ["incomplete", "refused", "no_surface"])
async def test_what_an_engine_did_say_stays(database: Database, finding: Finding) -> None:
    provider = Scripted(reads=[Reply(finding, "Точ", "sonar-1", searched=True)])
    check_id = await start(database, provider)
    await work(database, provider)

    assert await retry_captures(database, WORKSPACE, check_id, None) == 0

    assert (await only_answer(database)).text == "Точ"


async def test_earlier_attempts_stay_in_the_ledger(database: Database) -> None:
    provider = Scripted(reads=[Malformed("<html>")])
    check_id = await start(database, provider)
    await work(database, provider)

    await retry_captures(database, WORKSPACE, check_id, None)
    await work(database, provider)

    answer = await only_answer(database)
    assert ledger(answer) == [("failed", "malformed", False), ("answered", None, False)]
    assert answer.capture.tries == 1
    assert answer.text == ANSWER.text


async def test_a_paid_call_is_collected_and_not_bought_again(database: Database) -> None:
    provider = Scripted(collects=[AccountProblem("the key was withdrawn")])
    check_id = await start(database, provider)
    await work(database, provider)
    failed = await only_answer(database)

    # Long after: the queue has forgotten the job.
    await run_sql(database, b"delete from queue.job")
    await retry_captures(database, WORKSPACE, check_id, None)
    await work(database, provider)

    assert (failed.capture.outcome, failed.capture.error_class) == ("failed", "account")
    assert (await only_answer(database)).capture.outcome == "answered"
    assert len(provider.sent) == 1


async def test_a_cancelled_call_is_re_attached(database: Database) -> None:
    provider = Scripted(collects=[NotSent("no route")])
    check_id = await start(database, provider)
    await work(database, provider)
    await cancel_check(database, WORKSPACE, check_id)

    await retry_captures(database, WORKSPACE, check_id, None)
    await work(database, provider)

    assert len(provider.sent) == 1
    assert (await check(database, check_id)).state == "complete"


async def test_a_new_round_may_ask_again_after_two_empty_answers(database: Database) -> None:
    provider = Scripted(reads=[EMPTY, EMPTY, EMPTY])
    check_id = await start(database, provider)
    await work(database, provider)
    await run_sql(database, b"update queue.job set state = 'pending'")
    await work(database, provider)
    assert (await only_answer(database)).capture.outcome == "empty"

    await retry_captures(database, WORKSPACE, check_id, None)
    await work(database, provider)

    assert (await only_answer(database)).capture.state == "waiting"


async def test_an_expired_check_can_be_retried_and_has_a_day_again(database: Database) -> None:
    provider = Scripted()
    check_id = await start(database, provider)
    await run_sql(database, b"update queue.job set expires_at = now()")
    await run_sql(database, b"update capture.check_run set expires_at = now()")
    kind = ask_engine(database, {"perplexity": provider})
    await expire(database, {kind.name: kind})
    expired = await check(database, check_id)

    await retry_captures(database, WORKSPACE, check_id, None)

    assert expired.state == "failed"
    assert [one.outcome for one in expired.captures] == ["expired"]
    assert (await check(database, check_id)).expires_at > expired.expires_at
    await work(database, provider)
    assert (await check(database, check_id)).state == "complete"


async def test_the_captures_of_another_check_are_not_touched(database: Database) -> None:
    provider = Scripted(sends=[Rejected("no"), Rejected("no")])
    first = await start(database, provider)
    second = await start(database, provider)
    await work(database, provider)
    [theirs] = (await check(database, second)).captures

    assert await retry_captures(database, WORKSPACE, first, [theirs.id]) == 0


async def test_a_check_that_is_not_there_cannot_be_retried(database: Database) -> None:
    with pytest.raises(NotFound):
        await retry_captures(database, WORKSPACE, 4711, None)
