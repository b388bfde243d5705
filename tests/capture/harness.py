"""What the capture room's tests share: a scripted provider, a check, one try of a job."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from quoth.accounts.workspace import Workspace
from quoth.capture.ask_engine import ask_engine
from quoth.capture.engines import EngineInfo, Engines
from quoth.capture.new_check import NewBrand, NewCheck, NewPrompt
from quoth.capture.start_check import start_check
from quoth.capture.views.load_answer import load_answer
from quoth.capture.views.load_check import load_check, load_summary
from quoth.capture.views.shapes import AnswerView, CheckSummary, CheckView
from quoth.providers.contract import (
    Accepted,
    Cost,
    Link,
    Provider,
    ProviderError,
    Question,
    Raw,
    Reply,
    Route,
)
from quoth.queue.change import change_of
from quoth.queue.claim import claim_jobs
from quoth.queue.finish import finish, save_late
from quoth.queue.job import Job, Kind
from quoth.queue.lanes import ensure_lane
from quoth.queue.run import Run
from quoth.storage import Database, Statement

ME = uuid4()
SECOND = timedelta(seconds=1)
WORKSPACE = Workspace(1, "local", "UTC")

KNOWN = {
    "chatgpt": EngineInfo("chatgpt", "ChatGPT", "OPENAI_API_KEY"),
    "perplexity": EngineInfo("perplexity", "Perplexity", "PERPLEXITY_API_KEY"),
}
ANSWER = Reply(
    "answered",
    "Лучшие банки: Точка, Сбербанк и снова Точка.",
    "sonar-1",
    searched=True,
    queries=("лучший банк",),
    links=(
        Link("https://www.banki.ru/rating", "Рейтинг", used=True, start=0, end=6),
        Link("https://example.com/", None, used=False),
    ),
    usage={"output_tokens": 10},
)


def route(engine: str = "perplexity", *, model: str = "sonar-1") -> Route:
    return Route(engine, "simulator", model, create=SECOND, deadline=10 * SECOND, slots=1000)


@dataclass
class Scripted:
    """Plays what it is given, once each; after that every call is accepted and answered."""

    route: Route = field(default_factory=route)
    sends: list[ProviderError | str] = field(default_factory=list)
    collects: list[ProviderError | str] = field(default_factory=list)
    reads: list[ProviderError | Reply] = field(default_factory=list)
    sent: list[Question] = field(default_factory=list)
    collected: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    # Set these to hold a call until the test lets it go.
    send_gate: asyncio.Event | None = None
    collect_gate: asyncio.Event | None = None
    sending: asyncio.Event = field(default_factory=asyncio.Event)
    collecting: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, question: Question) -> Accepted:
        self.sent.append(question)
        self.sending.set()
        if self.send_gate:
            await self.send_gate.wait()
        step = self.sends.pop(0) if self.sends else f"resp_{len(self.sent)}"
        if isinstance(step, ProviderError):
            raise step
        return Accepted(step, Raw(200, {"x": "queued"}, b"queued"))

    async def collect(self, accepted_ref: str) -> Raw:
        self.collected.append(accepted_ref)
        self.collecting.set()
        if self.collect_gate:
            await self.collect_gate.wait()
        step = self.collects.pop(0) if self.collects else accepted_ref
        if isinstance(step, ProviderError):
            raise step
        return Raw(200, {"content-type": "application/json"}, f"body of {step}".encode())

    async def cancel(self, accepted_ref: str) -> None:
        self.cancelled.append(accepted_ref)

    def read(self, raw: Raw) -> Reply:
        step = self.reads.pop(0) if self.reads else ANSWER
        if isinstance(step, ProviderError):
            raise step
        return replace(step, model=self.route.model)


def engines_of(*providers: Provider) -> Engines:
    return Engines({provider.route.engine: provider for provider in providers}, KNOWN)


def new_check(
    *,
    prompts: int | Sequence[NewPrompt] = 1,
    engines: tuple[str, ...] = ("perplexity",),
    samples: int = 1,
    key: str | None = None,
    competitors: tuple[NewBrand, ...] = (NewBrand("Сбербанк", ("Сбер",)),),
) -> NewCheck:
    if isinstance(prompts, int):
        prompts = [NewPrompt(f"Лучший банк для ИП, вариант {n}?") for n in range(prompts)]
    return NewCheck(
        brand=NewBrand("Точка", ("Tochka",), ("tochka.com",)),
        competitors=competitors,
        prompts=tuple(prompts),
        engines=engines,
        samples=samples,
        started_by="command",
        idempotency_key=key,
    )


async def start(database: Database, *providers: Provider, **given: Any) -> int:
    """A check of `providers`' engines (one scripted Perplexity where none is given), with lanes."""
    engines = engines_of(*(providers or (Scripted(),)))
    async with database.transaction() as tx:
        for provider in engines.ready.values():
            await ensure_lane(tx, provider.route.lane, slots=provider.route.slots)
    new = new_check(engines=tuple(engines.ready), **given)
    return (await start_check(database, WORKSPACE, engines, new)).check.id


async def claim(database: Database, *, worker: UUID = ME, limit: int = 1000) -> list[Job]:
    return await claim_jobs(database, route().lane, worker=worker, limit=limit)


async def run(database: Database, kind: Kind, job: Job) -> None:
    """One try, as a worker goes through it."""
    await end(database, kind, job, Run(database, job))


async def end(database: Database, kind: Kind, job: Job, trying: Run) -> None:
    outcome = await trying.outcome(kind.handle)
    if outcome is None:
        return
    change = change_of(job, outcome)
    if await finish(database, {kind.name: kind}, [change]):
        await save_late(database, change)


async def work(database: Database, provider: Provider) -> None:
    """Claim what is there and try each once."""
    kind = ask_engine(database, {provider.route.engine: provider})
    for job in await claim(database):
        await run(database, kind, job)


async def work_again(database: Database, provider: Provider) -> None:
    """Let what waits be due, and try it."""
    await run_sql(database, b"update queue.lane set open_at = '-infinity', width = null")
    await run_sql(database, b"update queue.job set state = 'pending' where state = 'waiting'")
    await work(database, provider)


async def lose_worker(database: Database) -> None:
    """The worker dies: its jobs go back as the reaper gives them back."""
    await run_sql(
        database,
        b"update queue.job set state = 'pending', fence = fence + 1, worker = null, slot = null"
        b" where state in ('claimed', 'running')",
    )
    await run_sql(database, b"update queue.slot set job_id = null")


async def run_sql(database: Database, statement: bytes, **values: object) -> int:
    async with database.autocommit() as tx:
        return await tx.run(Statement(statement), **values)


async def values(database: Database, statement: bytes, **values: object) -> list[Any]:
    async with database.autocommit() as tx:
        return await tx.values(Statement(statement), **values)


async def check(database: Database, check_id: int) -> CheckView:
    """The check as it stands; its summary, which is counted by a statement, says the same of it."""
    async with database.transaction() as tx:
        view = await load_check(tx, WORKSPACE, check_id)
        summary = await load_summary(tx, WORKSPACE, check_id)
        again = await load_check(tx, WORKSPACE, check_id)
    if again == view:  # no worker has changed it meanwhile
        shared = {each.name: getattr(view, each.name) for each in fields(CheckSummary)}
        assert summary == CheckSummary(**shared)
    return again


async def only_answer(database: Database) -> AnswerView:
    """The one capture there is."""
    [capture_id] = await values(database, b"select id from capture.capture")
    async with database.autocommit() as tx:
        return await load_answer(tx, WORKSPACE, capture_id)


def ledger(answer: AnswerView) -> list[tuple[str, str | None, bool]]:
    """State, class and whether it may have been paid, of each attempt."""
    return [(one.state, one.error_class, one.possibly_paid) for one in answer.attempts]


def cost(amount: str, currency: str = "USD") -> Cost:

    return Cost(Decimal(amount), currency, "provider")
