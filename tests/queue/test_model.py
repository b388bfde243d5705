"""Anything may happen to the queue in any order, and what must hold of it holds."""

import asyncio
from collections.abc import Coroutine, Iterator
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from quoth.queue.cancel import cancel_jobs
from quoth.queue.change import Change, Release, change_of
from quoth.queue.claim import claim_jobs, claim_suspect
from quoth.queue.enqueue import enqueue
from quoth.queue.finish import finish
from quoth.queue.hold import Hold
from quoth.queue.job import Defer, Discard, Done, Job, JobLost, LaneClosed, Outcome, Retry
from quoth.queue.lanes import ensure_lane, pause_lane, resume_lane
from quoth.queue.reap import expire, promote, prune, reap
from quoth.storage import Database, Statement, Transaction
from quoth.storage.addresses import Addresses
from tests.queue.harness import kind_of, new_job, nothing, unused
from tests.queue.model import HELD, Watch

T = TypeVar("T")

LANES = {"narrow": 1, "wide": 3}
SECOND = timedelta(seconds=1)
BEAT = Statement(
    b"insert into queue.worker (id, host, pid, version, lanes, lock_key, witnessed, beat_at)"
    b" values (%(id)s, 'here', 1, 'test', '{}', 1, false, now() - %(silent)s::interval)"
    b" on conflict (id) do update set beat_at = excluded.beat_at"
)
GONE = Statement(b"delete from queue.worker where id = %(id)s")
SAVE = Statement(b"insert into saved values (%(id)s)")
DUE = Statement(
    b"update queue.job set due_at = now(), expires_at = greatest(expires_at, now() + '1 h')"
    b" where state = 'waiting'"
)
OPEN_LANES = Statement(b"update queue.lane set open_at = '-infinity'")
CLOSED_NO_MORE = Statement(b"update queue.slot set closed_until = '-infinity'")
CALLS_OVER = Statement(b"update queue.job set call_until = now() where call_until is not null")
LATE = Statement(b"update queue.job set expires_at = now() where id = %(id)s")
LONG_AGO = Statement(
    b"update queue.job set ended_at = now() - interval '8 days' where ended_at > '-infinity'"
)
CLEAN = (
    b"truncate queue.job, queue.slot, queue.lane, queue.flow, queue.worker cascade",
    b"create table if not exists saved (job_id bigint)",
    b"truncate saved",
)


class Queue(RuleBasedStateMachine):
    """Three workers, two lanes. A worker may die or freeze with jobs in hand, and thaw later."""

    database: Database
    runner: asyncio.Runner

    def __init__(self) -> None:
        super().__init__()
        self.watch = Watch(self.database)
        self.workers = [uuid4() for _ in range(3)]
        self.enqueued: set[int] = set()
        self.pruned = 0
        self.slots = dict(LANES)
        # What a worker process would still have in its memory, lost or not.
        self.hands: list[Job] = []
        self.kinds = {"test": kind_of(unused)}

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(work)

    def look(self, *statements: str) -> None:
        self.run(self.watch.look(*statements))

    @initialize()
    def begin(self) -> None:
        async def clean() -> None:
            async with self.database.transaction() as tx:
                for statement in CLEAN:
                    await tx.run(Statement(statement))
                for lane, slots in LANES.items():
                    await ensure_lane(tx, lane, slots=slots)
                for worker in self.workers:
                    await tx.run(BEAT, id=worker, silent=timedelta(0))

        self.run(clean())

    @rule(
        keys=st.lists(st.integers(0, 11), min_size=1, max_size=6, unique=True),
        lane=st.sampled_from(sorted(LANES)),
        flow=st.sampled_from("ab"),
        tries=st.integers(1, 3),
    )
    def enqueue(self, keys: list[int], lane: str, flow: str, tries: int) -> None:
        async def put() -> list[int]:
            async with self.database.transaction() as tx:
                jobs = [new_job(str(key), lane=lane, flow=flow, max_tries=tries) for key in keys]
                return await enqueue(tx, "test", jobs)

        self.enqueued.update(self.run(put()))
        self.look("enqueue_jobs")

    @rule(who=st.integers(0, 2), lane=st.sampled_from(sorted(LANES)), limit=st.integers(1, 4))
    def claim(self, who: int, lane: str, limit: int) -> None:
        claimed = self.run(claim_jobs(self.database, lane, worker=self.workers[who], limit=limit))
        assert len(claimed) <= limit
        self.hands.extend(claimed)
        self.look("claim_jobs")

    @rule(who=st.integers(0, 2))
    def claim_a_suspect(self, who: int) -> None:
        self.hands.extend(
            self.run(claim_suspect(self.database, sorted(LANES), worker=self.workers[who]))
        )
        self.look("claim_jobs")

    def ours(self, job: Job) -> bool:
        """Whether the job is still in the hands that claimed it."""
        row = self.watch.rows.get(job.id)
        return row is not None and row.fence == job.fence and row.state in HELD

    @precondition(lambda self: self.hands)
    @rule(which=st.integers(0, 30), checkpoint=st.booleans())
    def start(self, which: int, checkpoint: bool) -> None:
        job = self.hands[which % len(self.hands)]
        row = self.watch.rows.get(job.id)
        hold = Hold(self.database, job)
        try:
            self.run(hold.start(nothing, call=SECOND))
            if checkpoint:
                self.run(hold.checkpoint(nothing))
            assert self.ours(job)
        except JobLost:
            assert not self.ours(job)
        except LaneClosed:
            assert row is not None
        self.look("start_job")

    @precondition(lambda self: self.hands)
    @rule(
        which=st.integers(0, 30),
        outcome=st.sampled_from(
            [
                Retry("again"),
                Retry("again", after=timedelta(0)),
                Defer("later"),
                Defer("slow down", after=SECOND, cool_lane=True),
                Discard("never"),
                Release("a drain"),
                Release("a drain", keep_place=True),
                None,
                None,
                None,
            ]
        ),
    )
    def finish(self, which: int, outcome: Outcome | Release | None) -> None:
        """Whoever has it in memory ends it, lost or not; `None` is `Done` with a result."""
        self.end(self.hands.pop(which % len(self.hands)), outcome)

    def end(self, job: Job, outcome: Outcome | Release | None) -> None:
        ours = self.ours(job)

        async def save(tx: Transaction) -> None:
            await tx.run(SAVE, id=job.id)

        change: Change = change_of(job, outcome or Done(save))
        lost = self.run(finish(self.database, self.kinds, [change]))
        assert lost == (set() if ours else {job.id})
        self.look("change_jobs")

    @rule(which=st.integers(0, 11))
    def cancel(self, which: int) -> None:
        if not self.watch.rows:
            return
        job_id = sorted(self.watch.rows)[which % len(self.watch.rows)]

        async def ask() -> None:
            async with self.database.transaction() as tx:
                await cancel_jobs(tx, [job_id], "not wanted")

        self.run(ask())
        self.look("cancel_jobs")

    @rule(who=st.integers(0, 2), silent=st.sampled_from([0, 6]))
    def beat_or_freeze(self, who: int, silent: int) -> None:
        """A worker that is frozen or dead is one that has been silent; a thawed one beats again."""

        async def note() -> None:
            async with self.database.autocommit() as tx:
                await tx.run(BEAT, id=self.workers[who], silent=timedelta(seconds=silent))

        self.run(note())
        self.look()

    @rule(who=st.integers(0, 2))
    def restart(self, who: int) -> None:
        """The process is gone with all it had in memory; the next one has another id."""
        gone: UUID = self.workers[who]
        self.hands = [job for job in self.hands if job.worker != gone]
        self.workers[who] = uuid4()

        async def register() -> None:
            async with self.database.autocommit() as tx:
                await tx.run(BEAT, id=gone, silent=timedelta(seconds=6))
                await tx.run(BEAT, id=self.workers[who], silent=timedelta(0))

        self.run(register())
        self.look()

    @rule(who=st.integers(0, 2), patient=st.booleans())
    def reap(self, who: int, patient: bool) -> None:
        self.run(reap(self.database, self.kinds, worker=self.workers[who], patient=patient))
        self.look("reap_jobs")

    @rule(who=st.integers(0, 2), gone=st.booleans())
    def take_over(self, who: int, gone: bool) -> None:
        """A worker is silent and another takes its jobs back; what it has in memory is stale."""
        silent, other = self.workers[who], self.workers[(who + 1) % 3]

        async def take() -> None:
            async with self.database.autocommit() as tx:
                for each in self.workers:
                    await tx.run(BEAT, id=each, silent=timedelta(0))
                await tx.run(BEAT, id=silent, silent=timedelta(seconds=6))
                if gone:
                    await tx.run(GONE, id=silent)
            await reap(self.database, self.kinds, worker=other, patient=True)

        self.run(take())
        self.look("reap_jobs")
        held = [row for row in self.watch.rows.values() if row.worker == silent]
        assert held == [], "a silent worker still has a job"
        for lane in sorted(LANES):
            self.hands.extend(self.run(claim_jobs(self.database, lane, worker=other, limit=2)))
        self.look("claim_jobs")

    @precondition(lambda self: any(not self.ours(job) for job in self.hands))
    @rule(which=st.integers(0, 30), done=st.booleans())
    def finish_what_is_lost(self, which: int, done: bool) -> None:
        """A worker that thaws ends what has long been another's."""
        stale = [job for job in self.hands if not self.ours(job)]
        job = stale[which % len(stale)]
        self.hands.remove(job)
        self.end(job, None if done else Retry("again"))

    @rule()
    def time_passes(self) -> None:
        async def pass_() -> None:
            async with self.database.autocommit() as tx:
                for statement in (DUE, OPEN_LANES, CLOSED_NO_MORE, CALLS_OVER):
                    await tx.run(statement)

        self.run(pass_())
        self.run(promote(self.database))
        self.look("promote_jobs")

    @rule(which=st.integers(0, 11))
    def expire(self, which: int) -> None:
        if not self.watch.rows:
            return
        job_id = sorted(self.watch.rows)[which % len(self.watch.rows)]

        async def late() -> None:
            async with self.database.autocommit() as tx:
                await tx.run(LATE, id=job_id)

        self.run(late())
        self.run(expire(self.database, self.kinds))
        self.look("expire_jobs")

    @rule()
    def prune(self) -> None:
        async def long_ago() -> None:
            async with self.database.autocommit() as tx:
                await tx.run(LONG_AGO)

        self.run(long_ago())
        self.pruned += self.run(prune(self.database, keep=timedelta(days=7)))
        self.look("prune_jobs")

    @rule(lane=st.sampled_from(sorted(LANES)), slots=st.integers(1, 4), paused=st.booleans())
    def change_lane(self, lane: str, slots: int, paused: bool) -> None:
        """Only ever wider: what a narrower one holds above its limit ends in peace."""
        wider = self.slots[lane] = max(slots, self.slots[lane])

        async def change() -> None:
            async with self.database.transaction() as tx:
                await ensure_lane(tx, lane, slots=wider)
                await (pause_lane(tx, lane, "by hand") if paused else resume_lane(tx, lane))

        self.run(change())
        self.look()

    @invariant()
    def nothing_is_lost(self) -> None:
        assert len(self.watch.rows) + self.pruned == len(self.enqueued)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.mark.slow
def test_the_queue_keeps_its_word_whatever_happens(
    addresses: Addresses, runner: asyncio.Runner
) -> None:
    opened = Database.open(addresses, connections=2)
    database = runner.run(opened.__aenter__())
    try:
        machine = type("Machine", (Queue,), {"database": database, "runner": runner})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=60,
                stateful_step_count=60,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        runner.run(opened.__aexit__(None, None, None))
