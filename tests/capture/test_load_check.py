from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from quoth.capture.ask_engine import ask_engine
from quoth.capture.views.load_captures import NOBODY_WORKS
from quoth.capture.views.load_check import list_checks, load_check, state_of
from quoth.capture.views.shapes import CheckLine, CheckState
from quoth.providers.contract import Busy, Faulty, Rejected, Reply
from quoth.queue.lanes import pause_lane
from quoth.storage import Database, NotFound
from tests.capture.harness import (
    ANSWER,
    WORKSPACE,
    Scripted,
    check,
    claim,
    cost,
    only_answer,
    route,
    run,
    run_sql,
    start,
    work,
    work_again,
)


async def living_worker(database: Database) -> None:
    await run_sql(
        database,
        b"insert into queue.worker (id, host, pid, version, lanes, lock_key, witnessed)"
        b" values (%(id)s, 'here', 1, 'test', '{perplexity/simulator}', 1, false)",
        id=uuid4(),
    )


async def lines(database: Database, limit: int = 50, before: int | None = None) -> list[CheckLine]:
    async with database.autocommit() as tx:
        return await list_checks(tx, WORKSPACE, limit, before)


@pytest.mark.parametrize(
    ("over", "complete", "cancelled", "state"),
    [
        (0, 0, False, "running"),
        (3, 3, True, "running"),
        (4, 4, False, "complete"),
        (4, 4, True, "complete"),
        (4, 3, False, "partial"),
        (4, 3, True, "cancelled"),
        (4, 0, True, "cancelled"),
        (4, 0, False, "failed"),
    ],
)
def test_what_a_check_is_follows_from_its_captures(
    over: int, complete: int, cancelled: bool, state: CheckState
) -> None:
    assert state_of(total=4, over=over, complete=complete, cancelled=cancelled) == state


async def test_captures_come_by_prompt_engine_and_sample(database: Database) -> None:
    providers = Scripted(), Scripted(route("chatgpt"))
    check_id = await start(database, *providers, prompts=2, samples=2)

    view = await check(database, check_id)

    prompts = [prompt.id for prompt in view.prompts]
    assert [(one.prompt_id, one.engine, one.sample) for one in view.captures] == [
        (prompt, engine, sample)
        for prompt in prompts
        for engine in ("perplexity", "chatgpt")
        for sample in (1, 2)
    ]


async def test_where_nobody_works_a_waiting_cell_says_so(database: Database) -> None:
    await start(database)

    alone = await only_answer(database)
    await living_worker(database)
    served = await only_answer(database)

    assert (alone.capture.state, alone.capture.reason) == ("pending", NOBODY_WORKS)
    assert (served.capture.state, served.capture.reason) == ("pending", None)


async def test_a_cell_says_since_when_it_is_worked_on_and_in_which_try(
    database: Database,
) -> None:
    provider = Scripted()
    await start(database, provider)
    pending = (await only_answer(database)).capture

    [job] = await claim(database)
    claimed = (await only_answer(database)).capture
    await run(database, ask_engine(database, {"perplexity": provider}), job)
    done = (await only_answer(database)).capture

    assert (claimed.state, claimed.tries, claimed.max_tries) == ("claimed", 1, 4)
    assert pending.since < claimed.since < done.since


async def test_a_waiting_cell_says_when_it_goes_on_and_why(database: Database) -> None:
    provider = Scripted(sends=[Faulty("Perplexity had an error of its own")])
    await start(database, provider)

    await work(database, provider)

    cell = (await only_answer(database)).capture
    assert (cell.state, cell.tries) == ("waiting", 1)
    assert cell.reason == "Perplexity had an error of its own"
    assert cell.due_at is not None
    assert cell.due_at > cell.since


async def test_cells_behind_a_cooling_lane_say_when_it_opens_and_why(database: Database) -> None:
    busy = Busy("Perplexity asked us to slow down", after=timedelta(hours=1))
    provider = Scripted(sends=[busy])
    check_id = await start(database, provider, prompts=2)
    [job] = await claim(database, limit=1)

    await run(database, ask_engine(database, {"perplexity": provider}), job)

    cells = (await check(database, check_id)).captures
    assert [cell.state for cell in cells] == ["waiting", "pending"]
    assert {cell.reason for cell in cells} == {"Perplexity asked us to slow down"}
    for cell in cells:
        assert cell.due_at is not None
        assert cell.due_at - cells[0].since > timedelta(minutes=59)


async def test_cells_of_a_paused_engine_say_so_and_why(database: Database) -> None:
    check_id = await start(database)
    async with database.transaction() as tx:
        await pause_lane(tx, route().lane, "the account is empty")

    [cell] = (await check(database, check_id)).captures

    assert (cell.state, cell.due_at) == ("pending", None)
    assert cell.reason == "this engine is paused: the account is empty"


async def test_a_check_says_what_it_cost_a_currency_each(database: Database) -> None:
    provider = Scripted(
        reads=[
            Reply("empty", "", "sonar-1", searched=True, cost=cost("0.01")),
            replace(ANSWER, cost=cost("0.02")),
            replace(ANSWER, cost=cost("3", "RUB")),
        ]
    )
    check_id = await start(database, provider, prompts=2)

    await work(database, provider)
    await work_again(database, provider)

    view = await check(database, check_id)
    assert {money.currency: money.amount for money in view.cost} == {
        "RUB": cost("3").amount,
        "USD": cost("0.03").amount,
    }


async def test_nothing_known_of_costs_is_no_zero(database: Database) -> None:
    provider = Scripted()
    check_id = await start(database, provider)

    await work(database, provider)

    view = await check(database, check_id)
    assert (view.cost, view.captures[0].cost) == ((), None)


async def test_when_the_queue_has_forgotten_its_jobs_the_check_is_the_same(
    database: Database,
) -> None:
    provider = Scripted(sends=[Rejected("no")])
    check_id = await start(database, provider, prompts=2)
    await work(database, provider)
    before = await check(database, check_id)

    await run_sql(database, b"delete from queue.job")

    after = await check(database, check_id)
    assert [one.state for one in after.captures] == ["failed", "done"]
    assert [replace(one, max_tries=4) for one in after.captures] == list(before.captures)
    assert after.ended_at == before.ended_at


async def test_the_newest_reading_is_the_one_that_is_shown(database: Database) -> None:
    provider = Scripted()
    check_id = await start(database, provider)
    await work(database, provider)
    theirs = (await check(database, check_id)).brands[1].id

    await run_sql(
        database,
        b"with again as (insert into capture.reading"
        b" (workspace_id, capture_id, version, brand_ids, mentions, cited)"
        b" select workspace_id, id, 'later', array[4711, %(brand)s], '{7, 1}', 0"
        b" from capture.capture returning *)"
        b" insert into capture.mention select workspace_id, capture_id, version, %(brand)s, 0, 1,"
        b" 'x' from again",
        brand=theirs,
    )

    answer = await only_answer(database)
    assert [(one.brand, one.mentions) for one in answer.capture.named] == [("Сбербанк", 1)]
    assert [one.surface for one in answer.mentions] == ["x"]
    assert (answer.capture.citations, answer.citations) == (0, ())


async def test_a_list_has_the_newest_checks_first_and_goes_on_before_the_last(
    database: Database,
) -> None:
    provider = Scripted(sends=[Rejected("no")])
    first = await start(database, provider, prompts=2, samples=2)
    await work(database, provider)
    second = await start(database, provider, Scripted(route("chatgpt")))

    page = await lines(database)

    assert [line.id for line in page] == [second, first]
    assert [line.state for line in page] == ["running", "partial"]
    assert page[1] == CheckLine(
        id=first,
        state="partial",
        brand="Точка",
        started_at=page[1].started_at,
        prompts=2,
        engines=("perplexity",),
        samples=2,
        total=4,
        over=4,
        answered=3,
    )
    assert page[0].engines == ("chatgpt", "perplexity")
    assert [line.id for line in await lines(database, 1, second)] == [first]
    assert await lines(database, 50, first) == []


async def test_a_check_that_is_not_there_is_not_found(database: Database) -> None:
    async with database.autocommit() as tx:
        with pytest.raises(NotFound):
            await load_check(tx, WORKSPACE, 4711)
