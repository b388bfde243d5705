from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from quoth.capture.ask_engine import ask_engine
from quoth.capture.views.load_answer import load_raw
from quoth.capture.views.shapes import Money
from quoth.providers.contract import (
    Accepted,
    AccountProblem,
    Busy,
    Faulty,
    Finding,
    Gone,
    Link,
    Malformed,
    NotSent,
    ProviderError,
    Question,
    Raw,
    Rejected,
    Reply,
    Unknown,
    WrongModel,
)
from quoth.queue.job import Job, Kind
from quoth.storage import Database, NotFound
from tests.capture.harness import (
    ANSWER,
    WORKSPACE,
    Scripted,
    check,
    claim,
    cost,
    ledger,
    only_answer,
    route,
    run,
    run_sql,
    start,
    values,
    work,
    work_again,
)

EMPTY = Reply("empty", "", "sonar-1", searched=True, usage={"output_tokens": 0}, cost=cost("0.01"))


async def one_claimed(database: Database, provider: Scripted) -> tuple[Kind, Job]:
    await start(database, provider)
    [job] = await claim(database)
    return ask_engine(database, {"perplexity": provider}), job


async def test_an_answer_is_saved_with_its_reading_and_the_jobs_end(database: Database) -> None:
    provider = Scripted(reads=[replace(ANSWER, cost=cost("0.0061"))])
    check_id = await start(database, provider)

    await work(database, provider)

    view = await check(database, check_id)
    answer = await only_answer(database)
    assert view.state == "complete"
    assert (answer.capture.state, answer.capture.outcome) == ("done", "answered")
    assert answer.text == ANSWER.text
    assert [(one.brand, one.ours, one.surface) for one in answer.mentions] == [
        ("Точка", True, "Точка"),
        ("Сбербанк", False, "Сбербанк"),
        ("Точка", True, "Точка"),
    ]
    assert all(ANSWER.text[one.start : one.end] == one.surface for one in answer.mentions)
    assert [(one.position, one.used) for one in answer.citations] == [(1, True), (2, False)]
    assert [(one.brand, one.mentions, one.order) for one in answer.capture.named] == [
        ("Точка", 2, 1),
        ("Сбербанк", 1, 2),
    ]
    assert (answer.capture.citations, answer.queries) == (1, ("лучший банк",))
    assert ledger(answer) == [("answered", None, False)]
    assert answer.attempts[0].engine_ref == "resp_1"
    assert answer.attempts[0].usage == {"output_tokens": 10}
    assert view.cost == (Money(Decimal("0.0061"), "USD"),) == (answer.capture.cost,)
    assert answer.capture.took is not None
    assert await values(database, b"select state from queue.job") == ["done"]


async def test_the_question_goes_out_as_the_check_froze_it(database: Database) -> None:
    provider = Scripted()
    await start(database, provider)
    await run_sql(database, b"update capture.prompt set text = 'X', revision = 2")

    await work(database, provider)

    [question] = provider.sent
    assert (question.text, question.language, question.country) == (
        "Лучший банк для ИП, вариант 0?",
        "ru",
        "RU",
    )


async def test_the_raw_reply_is_kept_whole(database: Database) -> None:
    provider = Scripted()
    await start(database, provider)
    await work(database, provider)

    answer = await only_answer(database)
    async with database.autocommit() as tx:
        raw = await load_raw(tx, WORKSPACE, answer.capture.id)

    assert raw == Raw(200, {"content-type": "application/json"}, b"body of resp_1")
    assert await values(database, b"select body from capture.attempt") == [None]


async def test_the_attempt_is_written_before_the_call_and_the_id_right_after(
    database: Database,
) -> None:
    seen: list[list[str]] = []

    class Looking(Scripted):
        async def send(self, question: Question) -> Accepted:
            seen.append(await values(database, b"select state from capture.attempt"))
            return await super().send(question)

        async def collect(self, accepted_ref: str) -> Raw:
            seen.append(await values(database, b"select engine_ref from capture.attempt"))
            return await super().collect(accepted_ref)

    provider = Looking()
    await start(database, provider)

    await work(database, provider)

    assert seen == [["sending"], ["resp_1"]]


@pytest.mark.parametrize(
    "finding", ["answered_without_search", "incomplete", "no_surface", "refused"]
)
async def test_every_finding_but_an_empty_one_ends_the_job_well(
    database: Database, finding: Finding
) -> None:
    text = "" if finding in ("no_surface", "refused") else "Точка"
    reply = replace(ANSWER, finding=finding, text=text, links=(), reason="because")
    provider = Scripted(reads=[reply])
    await start(database, provider)

    await work(database, provider)

    answer = await only_answer(database)
    assert (answer.capture.outcome, answer.capture.state) == (finding, "done")
    assert answer.capture.reason == "because"
    assert answer.text == (text or None)


async def test_characters_that_postgresql_cannot_keep_do_not_cost_the_answer(
    database: Database,
) -> None:
    reply = replace(
        ANSWER,
        text="a\0b \ud800 Точка",
        links=(Link("https://e.com/\0", "\udfff", used=True),),
        queries=("\0",),
        usage={"\0": ["\0", {"x": "\ud800"}]},
        reason="\0",
    )
    provider = Scripted(reads=[reply])
    await start(database, provider)

    await work(database, provider)

    answer = await only_answer(database)
    assert answer.text == "a\ufffdb \ufffd Точка"
    assert [one.start for one in answer.mentions] == [6]


@pytest.mark.parametrize(
    ("error", "attempt", "job"),
    [
        (NotSent("no route"), ("not_sent", "not_sent", False), "waiting"),
        (Busy("slow down"), ("refused", "busy", False), "waiting"),
        (Faulty("sorry"), ("failed", "faulty", False), "waiting"),
        (Unknown("reset"), ("unknown", "outcome_unknown", True), "waiting"),
        (Rejected("no"), ("refused", "rejected", False), "failed"),
        (AccountProblem("no money"), ("refused", "account", False), "failed"),
        (Malformed("<html>"), ("failed", "malformed", True), "failed"),
    ],
)
async def test_a_call_that_fails_is_in_the_ledger_with_its_class(
    database: Database, error: ProviderError, attempt: tuple[str, str, bool], job: str
) -> None:
    error.raw = Raw(503, {"retry-after": "7"}, b"<html>")
    provider = Scripted(sends=[error])
    check_id = await start(database, provider)

    await work(database, provider)

    answer = await only_answer(database)
    assert ledger(answer) == [attempt]
    assert answer.attempts[0].error == error.reason
    assert answer.capture.state == job
    assert answer.capture.reason == error.reason
    async with database.autocommit() as tx:
        assert (await load_raw(tx, WORKSPACE, answer.capture.id)).body == b"<html>"
    if job == "failed":
        assert answer.capture.error_class == attempt[1]
        assert (await check(database, check_id)).state == "failed"


@pytest.mark.parametrize(
    ("error", "attempt", "job"),
    [
        (NotSent("no route"), ("accepted", "not_sent", False), "waiting"),
        (Busy("slow down"), ("accepted", "busy", False), "waiting"),
        (Unknown("reset"), ("accepted", "outcome_unknown", False), "waiting"),
        (Gone("never heard"), ("failed", "gone", True), "waiting"),
        (AccountProblem("bad key"), ("accepted", "account", False), "failed"),
    ],
)
async def test_while_waiting_what_was_bought_stays_bought(
    database: Database, error: ProviderError, attempt: tuple[str, str, bool], job: str
) -> None:
    provider = Scripted(collects=[error])
    await start(database, provider)

    await work(database, provider)

    answer = await only_answer(database)
    assert ledger(answer) == [attempt]
    assert answer.capture.state == job


@pytest.mark.parametrize(
    ("error", "attempt", "job"),
    [
        (Malformed("what is this"), ("failed", "malformed", False), "failed"),
        (WrongModel("sonar-2 answered"), ("failed", "wrong_model", False), "failed"),
        (Faulty("server_error"), ("failed", "faulty", False), "waiting"),
        (Busy("overloaded"), ("refused", "busy", False), "waiting"),
    ],
)
async def test_a_reply_that_is_no_answer_is_kept_raw_with_its_class(
    database: Database, error: ProviderError, attempt: tuple[str, str, bool], job: str
) -> None:
    provider = Scripted(reads=[error])
    await start(database, provider)

    await work(database, provider)

    answer = await only_answer(database)
    assert ledger(answer) == [attempt]
    assert answer.capture.state == job
    assert answer.text is None
    async with database.autocommit() as tx:
        assert (await load_raw(tx, WORKSPACE, answer.capture.id)).body == b"body of resp_1"


async def test_what_failed_on_the_way_is_collected_later_and_not_bought_again(
    database: Database,
) -> None:
    provider = Scripted(collects=[NotSent("no route"), Unknown("reset")])
    await start(database, provider)
    await work(database, provider)

    await work_again(database, provider)
    await work_again(database, provider)

    answer = await only_answer(database)
    assert answer.capture.outcome == "answered"
    assert ledger(answer) == [("answered", None, False)]
    assert len(provider.sent) == 1


async def test_a_busy_engine_costs_no_try_and_cools_its_lane(database: Database) -> None:
    provider = Scripted(sends=[Busy("Perplexity asked us to slow down", after=timedelta(hours=1))])
    await start(database, provider, prompts=2)
    kind = ask_engine(database, {"perplexity": provider})
    [first, second] = await claim(database)

    await run(database, kind, first)
    await run(database, kind, second)

    assert len(provider.sent) == 1
    assert sorted(await values(database, b"select tries from queue.job")) == [0, 0]
    assert sorted(await values(database, b"select state from queue.job")) == [
        "pending",
        "waiting",
    ]


async def test_after_the_last_try_the_capture_has_failed_with_the_last_reason(
    database: Database,
) -> None:
    provider = Scripted(sends=[Faulty(f"sorry {n}") for n in range(9)])
    await start(database, provider)
    await work(database, provider)

    for _ in range(4):
        await work_again(database, provider)

    answer = await only_answer(database)
    assert (answer.capture.outcome, answer.capture.error_class) == ("failed", "faulty")
    assert answer.capture.reason == "sorry 3"
    assert (answer.capture.tries, answer.capture.max_tries) == (4, 4)
    assert len(answer.attempts) == 4


async def test_after_an_unknown_outcome_one_more_call_is_made_and_no_third(
    database: Database,
) -> None:
    provider = Scripted(sends=[Unknown("reset"), Unknown("reset again")])
    await start(database, provider)
    await work(database, provider)

    await work_again(database, provider)
    await work_again(database, provider)

    answer = await only_answer(database)
    assert (answer.capture.outcome, answer.capture.error_class) == ("failed", "outcome_unknown")
    assert answer.capture.possibly_paid == 2
    assert len(provider.sent) == 2


async def test_an_empty_answer_is_asked_once_more(database: Database) -> None:
    provider = Scripted(reads=[EMPTY])
    await start(database, provider)
    await work(database, provider)

    await work_again(database, provider)

    answer = await only_answer(database)
    assert answer.capture.outcome == "answered"
    assert ledger(answer) == [("failed", "empty", False), ("answered", None, False)]
    assert answer.capture.cost is not None
    assert answer.capture.cost.amount == cost("0.01").amount


async def test_empty_twice_is_what_became_of_it(database: Database) -> None:
    provider = Scripted(reads=[EMPTY, EMPTY])
    check_id = await start(database, provider)
    await work(database, provider)

    await work_again(database, provider)

    answer = await only_answer(database)
    assert (answer.capture.outcome, answer.capture.state) == ("empty", "failed")
    assert len(provider.sent) == 2
    assert (await check(database, check_id)).cost[0].amount == cost("0.02").amount


@pytest.mark.parametrize("here", [None, Scripted(route(model="sonar-2"))])
async def test_a_process_that_cannot_ask_as_the_check_says_leaves_it_to_others(
    database: Database, here: Scripted | None
) -> None:
    await start(database, Scripted())
    [job] = await claim(database)

    await run(database, ask_engine(database, {"perplexity": here} if here else {}), job)

    answer = await only_answer(database)
    assert answer.capture.state == "waiting"
    assert answer.capture.reason == "no process here asks Perplexity (sonar-1) by simulator"
    assert answer.attempts == ()
    assert answer.capture.tries == 0


async def test_a_job_of_a_deleted_check_ends(database: Database) -> None:
    provider = Scripted()
    kind, job = await one_claimed(database, provider)
    await run_sql(database, b"delete from capture.check_run")

    await run(database, kind, job)

    assert provider.sent == []
    assert await values(database, b"select state from queue.job") == ["failed"]


async def test_a_capture_that_is_over_is_not_asked(database: Database) -> None:
    provider = Scripted()
    kind, job = await one_claimed(database, provider)
    await run_sql(database, b"update capture.capture set outcome = 'failed'")

    await run(database, kind, job)

    assert provider.sent == []
    assert await values(database, b"select state from queue.job") == ["done"]


async def test_there_is_no_raw_reply_before_one_came(database: Database) -> None:
    await start(database)
    answer = await only_answer(database)

    with pytest.raises(NotFound):
        async with database.autocommit() as tx:
            await load_raw(tx, WORKSPACE, answer.capture.id)
