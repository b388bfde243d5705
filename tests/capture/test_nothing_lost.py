"""A worker ends at each step of a try: what is bought, what is kept, what the next one does."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeVar

import pytest

from quoth.capture.ask_engine import ask_engine
from quoth.providers.contract import Accepted, Faulty, Gone, Question, Raw
from quoth.queue.change import change_of
from quoth.queue.finish import finish, save_late
from quoth.queue.hold import Hold
from quoth.queue.job import Done, Held, Job, JobLost
from quoth.queue.run import Run
from quoth.storage import Database, Transaction
from tests.capture.harness import (
    Scripted,
    claim,
    end,
    ledger,
    lose_worker,
    only_answer,
    run,
    run_sql,
    start,
    values,
    work,
    work_again,
)

T = TypeVar("T")

ANSWERED = ("answered", None, False)
LOST = ("unknown", "outcome_unknown", True)


class Killed(Exception):
    """The process ends here."""


@dataclass
class Killing(Scripted):
    """A provider in a process that is killed before or after a call."""

    at: str = ""

    async def send(self, question: Question) -> Accepted:
        if self.at == "before sending":
            raise Killed
        accepted = await super().send(question)
        if self.at == "after sending":
            raise Killed
        return accepted

    async def collect(self, accepted_ref: str) -> Raw:
        if self.at == "before collecting":
            raise Killed
        raw = await super().collect(accepted_ref)
        if self.at == "after collecting":
            raise Killed
        return raw


@dataclass
class KillingHold:
    """A hold in a process that is killed before or after it is used."""

    hold: Hold
    at: str

    @property
    def job(self) -> Job:
        return self.hold.job

    @property
    def given_up(self) -> bool:
        return False

    async def start(self, save: Callable[[Transaction], Awaitable[T]], *, call: timedelta) -> T:
        if self.at == "before start":
            raise Killed
        saved = await self.hold.start(save, call=call)
        if self.at == "after start":
            raise Killed
        return saved

    async def checkpoint(self, save: Callable[[Transaction], Awaitable[T]]) -> T:
        if self.at == "before checkpoint":
            raise Killed
        saved = await self.hold.checkpoint(save)
        if self.at == "after checkpoint":
            raise Killed
        return saved


@pytest.mark.parametrize(
    ("at", "bought", "attempts"),
    [
        ("before start", 1, [ANSWERED]),
        ("after start", 1, [LOST, ANSWERED]),
        ("before sending", 1, [LOST, ANSWERED]),
        ("after sending", 2, [LOST, ANSWERED]),
        ("before checkpoint", 2, [LOST, ANSWERED]),
        ("after checkpoint", 1, [ANSWERED]),
        ("before collecting", 1, [ANSWERED]),
        ("after collecting", 1, [ANSWERED]),
    ],
)
async def test_a_killed_worker_loses_nothing_and_only_the_window_is_paid_twice(
    database: Database, at: str, bought: int, attempts: list[tuple[str, str | None, bool]]
) -> None:
    provider = Killing(at=at)
    await start(database, provider)
    [job] = await claim(database)
    hold: Held = KillingHold(Hold(database, job), at)
    with pytest.raises(Killed):
        await ask_engine(database, {"perplexity": provider}).handle(hold)

    await lose_worker(database)
    provider.at = ""
    await work(database, provider)

    answer = await only_answer(database)
    assert answer.capture.outcome == "answered"
    assert ledger(answer) == attempts
    # Purchases = captures + attempts that ended in the window, all of them marked.
    assert len(provider.sent) == bought
    assert len(provider.sent) <= 1 + answer.capture.possibly_paid


@dataclass
class DeafHold(KillingHold):
    """A hold whose first start is committed, but the database is gone before it says so."""

    async def start(self, save: Callable[[Transaction], Awaitable[T]], *, call: timedelta) -> T:
        await self.hold.start(save, call=call)
        return await self.hold.start(save, call=call)


async def test_an_opening_that_was_committed_unheard_is_opened_no_second_time(
    database: Database,
) -> None:
    provider = Scripted()
    await start(database, provider)
    [job] = await claim(database)
    kind = ask_engine(database, {"perplexity": provider})
    outcome = await kind.handle(DeafHold(Hold(database, job), ""))
    await finish(database, {kind.name: kind}, [change_of(job, outcome)])

    answer = await only_answer(database)
    assert ledger(answer) == [ANSWERED]
    assert len(provider.sent) == 1


async def test_a_call_whose_time_is_over_before_it_goes_out_is_not_sent(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frozen after it was written down, and its place given to another meanwhile."""
    monkeypatch.setattr("quoth.capture.call_time.CallTime.is_over", lambda _: True)
    provider = Scripted()
    await start(database, provider)

    await work(database, provider)

    assert provider.sent == []
    assert ledger(await only_answer(database)) == [("not_sent", "not_sent", False)]


async def test_two_deaths_in_the_window_are_enough(database: Database) -> None:
    provider = Killing(at="after sending")
    await start(database, provider)
    kind = ask_engine(database, {"perplexity": provider})
    for _ in range(2):
        [job] = await claim(database)
        with pytest.raises(Killed):
            await kind.handle(Hold(database, job))
        await lose_worker(database)

    await work(database, provider)

    answer = await only_answer(database)
    assert (answer.capture.outcome, answer.capture.error_class) == ("failed", "outcome_unknown")
    assert ledger(answer) == [LOST, LOST]
    assert len(provider.sent) == 2


async def sending(database: Database, provider: Scripted) -> asyncio.Task[object]:
    """A handler in the midst of its paid call, which goes on when `send_gate` is set."""
    provider.send_gate = asyncio.Event()
    await start(database, provider)
    [job] = await claim(database)
    kind = ask_engine(database, {"perplexity": provider})
    task: asyncio.Task[object] = asyncio.ensure_future(kind.handle(Hold(database, job)))
    await provider.sending.wait()
    return task


async def learn_id_late(provider: Scripted, task: asyncio.Task[object]) -> None:
    """The slow worker's call returns, and its job is another's by now."""
    assert provider.send_gate is not None
    provider.send_gate.set()
    with pytest.raises(JobLost):
        await task


async def test_an_id_that_came_too_late_is_re_attached_by_the_new_owner(
    database: Database,
) -> None:
    provider = Scripted()
    slow = await sending(database, provider)
    await lose_worker(database)
    await learn_id_late(provider, slow)

    await work(database, provider)

    answer = await only_answer(database)
    assert answer.capture.outcome == "answered"
    assert ledger(answer) == [ANSWERED]
    assert len(provider.sent) == 1


async def test_an_id_that_came_after_the_new_owner_had_sent_is_kept_for_a_later_try(
    database: Database,
) -> None:
    provider = Scripted()
    slow = await sending(database, provider)
    await lose_worker(database)
    await work(database, Scripted(sends=[Faulty("sorry")]))
    await learn_id_late(provider, slow)

    await work_again(database, provider)

    answer = await only_answer(database)
    assert answer.capture.outcome == "answered"
    assert ledger(answer) == [ANSWERED, ("failed", "faulty", False)]
    assert provider.collected == ["resp_1"]


async def test_a_call_that_was_overtaken_is_closed_as_possibly_paid(database: Database) -> None:
    provider, other = Scripted(), Scripted(collect_gate=asyncio.Event())
    slow = await sending(database, provider)
    await lose_worker(database)
    [job] = await claim(database)
    other_kind = ask_engine(database, {"perplexity": other})
    owner = asyncio.create_task(run(database, other_kind, job))
    await other.collecting.wait()
    await learn_id_late(provider, slow)

    assert other.collect_gate is not None
    other.collect_gate.set()
    await owner

    answer = await only_answer(database)
    assert answer.capture.outcome == "answered"
    assert ledger(answer) == [("late", "late", True), ANSWERED]
    assert answer.attempts[0].engine_ref == "resp_1"


async def test_an_id_that_came_after_the_answer_is_written_down_and_over(
    database: Database,
) -> None:
    provider = Scripted()
    slow = await sending(database, provider)
    await lose_worker(database)
    await work(database, Scripted())

    await learn_id_late(provider, slow)

    answer = await only_answer(database)
    assert ledger(answer) == [("late", "late", True), ANSWERED]
    assert answer.attempts[0].engine_ref == "resp_1"


async def test_a_late_answer_is_not_stored_and_its_new_owner_collects_the_same(
    database: Database,
) -> None:
    provider = Scripted()
    await start(database, provider)
    [job] = await claim(database)
    kind = ask_engine(database, {"perplexity": provider})
    outcome = await kind.handle(Hold(database, job))
    assert isinstance(outcome, Done)
    await lose_worker(database)
    change = change_of(job, outcome)

    assert await finish(database, {kind.name: kind}, [change]) == {job.id}
    await save_late(database, change)
    late = await only_answer(database)
    kept = await values(database, b"select body is not null from capture.attempt")
    await work(database, provider)

    assert (late.capture.outcome, late.text, kept) == (None, None, [True])
    answer = await only_answer(database)
    assert ledger(answer) == [ANSWERED]
    assert len(provider.sent) == 1


async def test_an_answer_that_came_after_another_is_kept_in_its_attempt_alone(
    database: Database,
) -> None:
    provider = Scripted()
    await start(database, provider)
    [job] = await claim(database)
    kind = ask_engine(database, {"perplexity": provider})
    outcome = await kind.handle(Hold(database, job))
    await lose_worker(database)
    await work(database, provider)
    before = await only_answer(database)

    await save_late(database, change_of(job, outcome))

    assert await only_answer(database) == before


async def test_a_re_attached_call_that_is_gone_is_replaced_in_the_same_try(
    database: Database,
) -> None:
    provider = Killing(at="before collecting", collects=[Gone("never heard of it")])
    await start(database, provider)
    [job] = await claim(database)
    with pytest.raises(Killed):
        await ask_engine(database, {"perplexity": provider}).handle(Hold(database, job))
    await lose_worker(database)
    provider.at = ""

    await work(database, provider)

    answer = await only_answer(database)
    assert answer.capture.outcome == "answered"
    assert ledger(answer) == [("failed", "gone", True), ANSWERED]
    assert len(provider.sent) == 2


def hanging() -> Scripted:
    return Scripted(collect_gate=asyncio.Event())


async def stopped(
    database: Database,
    provider: Scripted,
    why: Literal["cancelled", "deadline", "drain"],
    *,
    let_go: bool = True,
) -> None:
    """One try that is stopped in the midst of a call."""
    await start(database, provider)
    [job] = await claim(database)
    kind = ask_engine(database, {"perplexity": provider})
    trying = Run(database, job)
    task = asyncio.create_task(end(database, kind, job, trying))
    await (provider.collecting if provider.collect_gate else provider.sending).wait()
    if why == "cancelled":
        await run_sql(database, b"update queue.job set cancel_asked = true")
    trying.stop(why)
    if provider.send_gate is not None and let_go:
        provider.send_gate.set()
    await task


async def test_a_cancelled_capture_is_stopped_at_the_engine_and_can_be_re_attached(
    database: Database,
) -> None:
    provider = hanging()

    await stopped(database, provider, "cancelled")

    answer = await only_answer(database)
    assert provider.cancelled == ["resp_1"]
    assert (answer.capture.outcome, answer.capture.state) == ("cancelled", "cancelled")
    assert ledger(answer) == [("accepted", "stopped", False)]


async def test_in_a_drain_nothing_is_stopped_and_the_next_process_goes_on(
    database: Database,
) -> None:
    provider = hanging()
    await stopped(database, provider, "drain")
    assert provider.cancelled == []

    await work(database, Scripted())

    answer = await only_answer(database)
    assert ledger(answer) == [ANSWERED]
    assert len(provider.sent) == 1


async def test_past_its_deadline_a_call_is_stopped_and_collected_by_the_next_try(
    database: Database,
) -> None:
    provider = hanging()
    await stopped(database, provider, "deadline")
    waiting = await only_answer(database)

    await work_again(database, Scripted())

    assert waiting.capture.state == "waiting"
    assert waiting.capture.reason is not None
    assert "no end within" in waiting.capture.reason
    assert provider.cancelled == ["resp_1"]
    assert ledger(await only_answer(database)) == [ANSWERED]


async def test_a_capture_whose_every_try_took_too_long_has_failed_by_timeout(
    database: Database,
) -> None:
    provider = hanging()
    await start(database, provider)
    await run_sql(database, b"update queue.job set max_tries = 1, deadline = '50 ms'")

    await work(database, provider)

    answer = await only_answer(database)
    assert (answer.capture.outcome, answer.capture.error_class) == ("failed", "timeout")


async def test_a_call_that_is_stopped_while_it_is_sent_still_learns_its_id(
    database: Database,
) -> None:
    provider = Scripted(send_gate=asyncio.Event())

    await stopped(database, provider, "cancelled")

    answer = await only_answer(database)
    assert answer.attempts[0].engine_ref == "resp_1"
    assert provider.cancelled == ["resp_1"]
    assert answer.capture.outcome == "cancelled"


async def test_a_call_that_is_stopped_while_it_is_refused_is_known_to_be_free(
    database: Database,
) -> None:
    provider = Scripted(send_gate=asyncio.Event(), sends=[Faulty("sorry")])

    await stopped(database, provider, "cancelled")

    answer = await only_answer(database)
    assert ledger(answer) == [("failed", "faulty", False)]
    assert answer.capture.outcome == "cancelled"


async def test_a_call_that_never_told_its_id_is_possibly_paid(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quoth.capture.ask_engine.LAST_WORD", timedelta(milliseconds=20))
    provider = Scripted(send_gate=asyncio.Event())

    await stopped(database, provider, "cancelled", let_go=False)

    answer = await only_answer(database)
    assert ledger(answer) == [LOST]
    assert answer.capture.outcome == "cancelled"
    assert answer.capture.possibly_paid == 1


async def test_one_answer_a_capture_is_a_constraint(database: Database) -> None:
    provider = Scripted()
    await start(database, provider)
    await work(database, provider)

    assert await values(database, b"select count(*) from capture.answer") == [1]
    with pytest.raises(Exception, match="answer_pkey"):
        await values(database, b"insert into capture.answer select * from capture.answer")
