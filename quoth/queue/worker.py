"""The pool: claim jobs, run their handlers, a few at a time, until told to stop."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from uuid import UUID, uuid4

from quoth.loops import background, every, first_of
from quoth.observability.events import emit, emit_failure
from quoth.queue.beat import Beat, Identity
from quoth.queue.cancelled import cancelled_jobs
from quoth.queue.change import Release, change_of
from quoth.queue.channels import JOBS_CANCELLED, JOBS_READY
from quoth.queue.claim import claim_jobs, claim_suspect
from quoth.queue.finisher import Finisher
from quoth.queue.job import Discard, Job, Kind, Outcome
from quoth.queue.reap import SUSPECT, expire, promote, prune, reap
from quoth.queue.run import Run
from quoth.storage import Database, DatabaseUnavailable

# A database that stays away must not keep a drained process from ending: its jobs will be reaped.
GIVE_UP = timedelta(seconds=10)
# A claim of more keeps what it has claimed waiting, while the first of them could have ended.
MOST_AT_ONCE = 200
# How often a suspect looks whether all else in its process has ended.
ALONE_EVERY = timedelta(milliseconds=50)


@dataclass(frozen=True, slots=True)
class Pace:
    """How a worker behaves; the defaults are the product's."""

    pool: int = 8
    drain: timedelta = timedelta(seconds=30)
    poll: timedelta = timedelta(seconds=1)
    upkeep: timedelta = timedelta(seconds=0.5)
    keep_finished: timedelta = timedelta(days=7)


class Worker:
    """Works the jobs of `kinds` in `lanes`. One a process; any number of processes."""

    def __init__(
        self,
        database: Database,
        kinds: Sequence[Kind],
        lanes: Sequence[str],
        *,
        version: str,
        pace: Pace | None = None,
    ) -> None:
        self.id: UUID = uuid4()
        self._database = database
        self._kinds: Mapping[str, Kind] = {kind.name: kind for kind in kinds}
        self._lanes = list(lanes)
        self._pace = pace or Pace()
        self._beat = Beat(database.addresses, Identity(self.id, version, self._lanes))
        self._finisher = Finisher(database, self._kinds)
        self._running: dict[int, Run] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._cancelled = asyncio.Event()

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop`, then drain: see `_drain`. Survives the database being away."""
        notices = self._database.notices
        loops = {
            self._pace.upkeep: (self._reap, partial(promote, self._database)),
            timedelta(seconds=30): (partial(expire, self._database, self._kinds),),
            timedelta(minutes=5): (partial(prune, self._database, keep=self._pace.keep_finished),),
        }
        self._beat.start()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(asyncio.to_thread, self._beat.stop)
            stack.callback(notices.subscribe(JOBS_READY, lambda _: self._wake.set()))
            stack.callback(notices.subscribe(JOBS_CANCELLED, lambda _: self._cancelled.set()))
            await stack.enter_async_context(background(self._finisher.run()))
            for period, works in loops.items():
                for work in works:
                    await stack.enter_async_context(
                        background(every(period, work, failed=emit_failure))
                    )
            await stack.enter_async_context(background(self._watch_cancels()))
            async with asyncio.TaskGroup() as jobs:
                await self._claim_until(stop, jobs)
                await self._drain()

    async def _claim_until(self, stop: asyncio.Event, jobs: asyncio.TaskGroup) -> None:
        clock = asyncio.get_running_loop().time
        look_for_suspects = clock()
        while not stop.is_set():
            self._wake.clear()
            if self._beat.proved:
                try:
                    await self._claim(jobs)
                    if clock() >= look_for_suspects:
                        look_for_suspects = clock() + self._pace.poll.total_seconds()
                        await self._take_suspect(jobs)
                except DatabaseUnavailable as error:
                    emit_failure("queue.claim", error)
                    await asyncio.sleep(0.2)
            else:
                # Soon after the start, or cut off: the beat says when we may claim.
                await asyncio.sleep(0.005)
                self._wake.set()
            await first_of(self._wake, stop, at_most=self._pace.poll)

    async def _claim(self, jobs: asyncio.TaskGroup) -> None:
        self._lanes = self._lanes[1:] + self._lanes[:1]
        for lane in self._lanes:
            room = min(self._room(lane), MOST_AT_ONCE)
            if room < 1 or self._has_suspect:
                continue
            claimed = await claim_jobs(self._database, lane, worker=self.id, limit=room)
            self._begin(claimed, jobs)
            if len(claimed) == room:
                self._wake.set()

    def _begin(self, claimed: Sequence[Job], jobs: asyncio.TaskGroup) -> None:
        for job in claimed:
            run = Run(self._database, job)
            self._running[job.id] = run
            self._tasks[job.id] = jobs.create_task(self._work(run))

    @property
    def _has_suspect(self) -> bool:
        """Whether a job is in our hands whose workers died: it is worked on alone."""
        return any(run.job.crashes >= SUSPECT for run in self._running.values())

    async def _take_suspect(self, jobs: asyncio.TaskGroup) -> None:
        if not self._has_suspect:
            lanes = self._lanes
            self._begin(await claim_suspect(self._database, lanes, worker=self.id), jobs)

    def _room(self, lane: str) -> int:
        """How many jobs of `lane` may start here, leaving a place to every lane that has none.

        So one slow engine can never fill the pool.
        """
        taken = {run.job.lane for run in self._running.values()}
        free = self._pace.pool - len(self._running)
        others = sum(other != lane and other not in taken for other in self._lanes)
        return free if lane not in taken and free <= others else free - others

    async def _work(self, run: Run) -> None:
        job = run.job
        try:
            if job.crashes >= SUSPECT:
                await self._alone(run)
            kind = self._kinds.get(job.kind)
            if kind is None:
                await self._end(job, Discard(f"nobody here knows jobs of kind {job.kind}"))
            elif outcome := await run.outcome(kind.handle):
                await self._end(job, outcome)
        finally:
            del self._running[job.id], self._tasks[job.id]
            self._wake.set()

    async def _alone(self, run: Run) -> None:
        """Wait until all else that was claimed here has ended."""
        while len(self._running) > 1 and not run.is_stopped():  # noqa: ASYNC110 - a look is all it takes
            await asyncio.sleep(ALONE_EVERY.total_seconds())

    async def _end(self, job: Job, outcome: Outcome | Release) -> None:
        change = change_of(job, outcome)
        try:
            await self._finisher.finish(change)
        except Exception as error:  # noqa: BLE001 - what a save raises must not take the pool along
            emit("job.not_saved", kind=job.kind, job=job.id, error=error)
            reason = f"its result could not be saved: {type(error).__name__}"
            await self._finisher.finish(change_of(job, Discard(reason, save=change.late)))
        emit("job.finished", kind=job.kind, job=job.id, state=change.state, lane=job.lane)

    async def _reap(self) -> None:
        await reap(self._database, self._kinds, worker=self.id, patient=self._beat.patient)

    async def _watch_cancels(self) -> None:
        while True:
            await first_of(self._cancelled, at_most=self._pace.poll)
            self._cancelled.clear()
            if not self._running:
                continue
            with suppress(DatabaseUnavailable):
                for job_id in await cancelled_jobs(self._database, self.id):
                    if run := self._running.get(job_id):
                        run.stop("cancelled")

    async def _drain(self) -> None:
        """Let go: at once what another process can go on with, the rest after the grace."""
        loop = asyncio.get_running_loop()
        grace = loop.time() + self._pace.drain.total_seconds()
        while self._running:
            late = loop.time() >= grace
            for run in self._running.values():
                if late or run.can_go_on_elsewhere:
                    run.stop("drain")
            if loop.time() >= grace + GIVE_UP.total_seconds():
                for task in self._tasks.values():
                    task.cancel()
                return
            self._wake.clear()
            await first_of(self._wake, at_most=timedelta(milliseconds=50))
