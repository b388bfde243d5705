"""The job `capture.ask`: put one prompt to one engine, and keep what it answers.

A try goes: decide under the fence between re-attaching and a new call; make the paid call and keep
its id the moment it is known; wait for the answer; read it; return what to save.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import assert_never

from quoth.capture.attempts import (
    LOST,
    STOPPED,
    TRIES_AFTER_UNKNOWN,
    Ask,
    Opened,
    accept_attempt,
    fail_attempt,
    keep_late,
    keep_late_ref,
    open_attempt,
    storable,
)
from quoth.capture.call_time import CallTime
from quoth.capture.failures import Failure, empty_answer, failure_of
from quoth.capture.jobs import CAPTURE_ASK
from quoth.capture.manifest import read_engine
from quoth.capture.outcomes import end_captures, read_answer, save_answer
from quoth.providers.contract import NotSent, Provider, ProviderError, Question, Raw, Reply
from quoth.queue.job import (
    Defer,
    Discard,
    Done,
    Held,
    JobLost,
    Kind,
    Outcome,
    Retry,
    Save,
    nothing_to_save,
)
from quoth.storage import Database, Statements

sql = Statements(__package__)

# How long a try that is being stopped may still learn an id, or tell the engine to stop.
LAST_WORD = timedelta(seconds=3)
RE_ASKS_WHEN_EMPTY = 1
# What a re-attached call may turn out to be; the try goes on with a new one.
NOTHING_LEFT = ("faulty", "gone")


def ask_engine(database: Database, providers: Mapping[str, Provider]) -> Kind:
    """The kind of job that asks these providers, which are named by their engines."""

    async def handle(held: Held) -> Outcome:
        async with database.autocommit() as tx:
            ask = await tx.maybe(
                Ask,
                sql.load_ask,
                workspace_id=held.job.payload["workspace"],
                capture_id=held.job.payload["capture"],
            )
        if ask is None:
            return Discard("its check was deleted")
        if ask.outcome is not None:
            return Done(nothing_to_save)
        asked = next(read_engine(one) for one in ask.engines if one["engine"] == ask.engine)
        provider = providers.get(ask.engine)
        if provider is None or (provider.route.surface, provider.route.model) != (
            asked.surface,
            asked.model,
        ):
            return Defer(f"no process here asks {asked.title} ({asked.model}) by {asked.surface}")
        return await Try(database, held, ask, provider).outcome()

    return Kind(CAPTURE_ASK, handle, end_captures)


@dataclass(frozen=True, slots=True)
class Try:
    """One try of one capture: at most one new call, after those that can be re-attached."""

    database: Database
    held: Held
    ask: Ask
    provider: Provider
    clock: CallTime = field(default_factory=CallTime)

    async def outcome(self) -> Outcome:
        """Every way out says what the attempt became; the job's end commits with it."""
        create = self.provider.route.create
        while True:
            self.clock.begin(create)
            opened = await self.held.start(
                partial(
                    open_attempt,
                    ask=self.ask,
                    fence=self.held.job.fence,
                    model=self.provider.route.model,
                    call=create,
                ),
                call=create,
            )
            if opened.id is None:
                return Discard(LOST)
            if opened.ref is None:
                return await self._ask(opened.id, opened)
            # Nothing new goes out: from here any other process could go on as well.
            await self.held.checkpoint(nothing_to_save)
            if outcome := await self._re_attach(opened.id, opened.ref, opened):
                return outcome

    async def _ask(self, attempt_id: int, opened: Opened) -> Outcome:
        try:
            ref = await self._buy(attempt_id)
        except ProviderError as error:
            return self._failed(attempt_id, failure_of(error, "sending"), opened)
        result = await self._result(attempt_id, ref)
        return self._ended(attempt_id, result, opened)

    async def _re_attach(self, attempt_id: int, ref: str, opened: Opened) -> Outcome | None:
        """None when there is nothing left to collect of the call."""
        result = await self._result(attempt_id, ref)
        if isinstance(result, Failure) and result.error_class in NOTHING_LEFT:
            await self.held.checkpoint(self._failing(attempt_id, result))
            return None
        return self._ended(attempt_id, result, opened)

    async def _result(self, attempt_id: int, ref: str) -> tuple[Reply, Raw] | Failure:
        try:
            raw = await self._collect(attempt_id, ref)
        except ProviderError as error:
            return failure_of(error, "collecting")
        try:
            return self.provider.read(raw), raw
        except ProviderError as error:
            return failure_of(error, "reading", raw)

    async def _buy(self, attempt_id: int) -> str:
        """Make the paid call; return the engine's id, which is saved by then."""
        buying = asyncio.create_task(self._send(attempt_id))
        try:
            return await asyncio.shield(buying)
        except asyncio.CancelledError:
            # The id, or the word that nothing was bought, may be a moment away.
            try:
                await asyncio.wait({buying}, timeout=LAST_WORD.total_seconds())
                if buying.done():
                    await self._keep_last_word(attempt_id, buying)
            finally:
                buying.cancel()
                await asyncio.gather(buying, return_exceptions=True)
            raise

    async def _send(self, attempt_id: int) -> str:
        ask = self.ask
        if self.clock.is_over():
            # Frozen since it was written down: its place may be another's by now.
            raise NotSent("its time was over before it went out")
        accepted = await self.provider.send(
            Question(ask.text, ask.language, ask.country, reference=f"quoth-{ask.id}")
        )
        try:
            await self.held.checkpoint(
                partial(accept_attempt, ask=ask, attempt_id=attempt_id, accepted=accepted)
            )
        except JobLost:
            # It is paid: whoever has the job now, or retries it later, can re-attach to it.
            await keep_late_ref(self.database, ask, attempt_id, accepted)
            raise
        return accepted.ref

    async def _keep_last_word(self, attempt_id: int, buying: asyncio.Task[str]) -> None:
        try:
            ref = buying.result()
        except ProviderError as error:
            with suppress(JobLost, TimeoutError):
                async with asyncio.timeout(LAST_WORD.total_seconds()):
                    failure = failure_of(error, "sending")
                    await self.held.checkpoint(self._failing(attempt_id, failure))
        except JobLost:
            return
        else:
            await self._stop(attempt_id, ref)

    async def _collect(self, attempt_id: int, ref: str) -> Raw:
        try:
            return await self.provider.collect(ref)
        except asyncio.CancelledError:
            await self._stop(attempt_id, ref)
            raise

    async def _stop(self, attempt_id: int, ref: str) -> None:
        """Have the engine stop what nobody waits for any more; in a drain somebody does.

        The attempt stays accepted: if the engine had answered just then, a retry collects it.
        """
        if not self.held.given_up:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORD.total_seconds()):
                # Together, so that the engine is told though the database is away.
                await asyncio.gather(self._stop_there(ref), self._note_stop(attempt_id))

    async def _stop_there(self, ref: str) -> None:
        with suppress(ProviderError):
            await self.provider.cancel(ref)

    async def _note_stop(self, attempt_id: int) -> None:
        stopped = Failure(STOPPED, "stopped", end=None, then="retry")
        with suppress(JobLost):
            await self.held.checkpoint(self._failing(attempt_id, stopped))

    def _ended(
        self, attempt_id: int, result: tuple[Reply, Raw] | Failure, opened: Opened
    ) -> Outcome:
        if isinstance(result, Failure):
            return self._failed(attempt_id, result, opened)
        reply, raw = result
        if reply.finding == "empty":
            failure = empty_answer(reply, raw, again=opened.empty < RE_ASKS_WHEN_EMPTY)
            return self._failed(attempt_id, failure, opened)
        reading = read_answer(self.ask, reply)
        return Done(
            partial(save_answer, ask=self.ask, attempt_id=attempt_id, reading=reading, raw=raw),
            late=partial(keep_late, ask=self.ask, attempt_id=attempt_id, reply=reply, raw=raw),
        )

    def _failed(self, attempt_id: int, failure: Failure, opened: Opened) -> Outcome:
        reason = storable(failure.reason)
        save = self._failing(attempt_id, failure)
        match failure.then:
            case "retry" if failure.end == "unknown" and opened.unknown >= TRIES_AFTER_UNKNOWN:
                return Discard(reason, save)
            case "retry":
                return Retry(reason, save=save)
            case "defer":
                return Defer(reason, failure.after, cool_lane=True, save=save)
            case "discard":
                return Discard(reason, save)
            case _:
                assert_never(failure.then)

    def _failing(self, attempt_id: int, failure: Failure) -> Save:
        return partial(fail_attempt, ask=self.ask, attempt_id=attempt_id, failure=failure)
