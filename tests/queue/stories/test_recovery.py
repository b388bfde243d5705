"""Workers die, freeze and stall: what is taken back, when, and what must never be."""

import asyncio
import signal
from datetime import timedelta

from quoth.queue import reap as reaping
from quoth.queue.change import Change
from quoth.queue.finish import finish
from quoth.queue.hold import Hold
from quoth.queue.reap import reap
from quoth.queue.worker import Worker
from quoth.storage import Database, Statement
from tests.queue.harness import (
    LANE,
    ME,
    MINUTE,
    Row,
    claim,
    kind_of,
    look,
    make_lane,
    new_job,
    nothing,
    put,
    run_sql,
    until,
    unused,
)
from tests.queue.processes import job_that, worker_processes
from tests.queue.stories.naive import naive
from tests.queue.test_reap import OTHER, die_for_all_to_see, take_back

KINDS = {"test": kind_of(unused)}
# river#1302: what ran when the rescuer looked is put back by its id, whatever it is by now.
READ_THEN_WRITE = """
with lost as materialized (select id from queue.job where state in ('claimed', 'running')),
     slept as materialized (select pg_sleep(0.5))
update queue.job
   set state = 'pending', fence = fence + 1, worker = null
  from lost, slept
 where job.id = lost.id
   and %(worker)s::uuid is not null and %(kinds)s::text[] is not null and %(patient)s
   and %(missed)s::interval + %(lease)s::interval + %(overdue)s::interval + %(spread)s::interval
       > interval '0' and %(crash_cap)s > 0
returning job.id, job.kind, job.payload, job.state as how, '' as reason
"""


async def done_while_reaped(database: Database) -> str:
    """A slow but living worker ends its job at the moment in which a reaper takes it back."""
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))
    [job] = await claim(database, worker=OTHER)
    reaped = asyncio.create_task(reap(database, KINDS, worker=ME, patient=True))
    await asyncio.sleep(0.1)
    await finish(database, KINDS, [Change(job, "done")])
    await reaped
    return (await look(database, job_id)).state


async def test_2_a_job_that_is_done_is_never_put_back(database: Database) -> None:
    """Both orders: the reaper first, and the end first, its row still locked."""
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))
    [job] = await claim(database, worker=OTHER)
    async with database.transaction() as ending:
        # The end's lock is taken; the reaper comes before its commit.
        await ending.run(Statement(b"select id from queue.job for update"))
        assert await take_back(database, patient=True) == 0
    assert await finish(database, KINDS, [Change(job, "done")]) == set()

    assert await take_back(database, patient=True) == 0
    assert (await look(database, job_id)).state == "done"


async def test_2_naive_what_was_read_is_written_over_what_became_of_it(
    database: Database,
) -> None:
    with naive(reaping.sql, "reap_jobs", READ_THEN_WRITE):
        assert await done_while_reaped(database) == "pending"


async def test_3_a_frozen_worker_that_thaws_changes_nothing(
    database: Database, database_url: str
) -> None:
    """Naive: an end by id alone: the thawed worker ends what another has done, or is doing."""
    await make_lane(database)
    async with worker_processes(database_url) as workers:
        frozen = await workers.start()
        await put(database, job_that("sleep", "a", seconds=2))
        # Not in the midst of a transaction: its lock would be held as long as it is frozen.
        await until(lambda: is_(database, "running"))
        await asyncio.sleep(0.2)
        frozen.send(signal.SIGSTOP)
        # Its call may be out for as long as it said; here that time is over.
        await run_sql(database, b"update queue.job set call_until = now()")
        other = await workers.start()
        await other.begun("a", within=timedelta(seconds=40))
        fence = (await row(database)).fence
        frozen.send(signal.SIGCONT)
        await until(lambda: is_(database, "done"), within=timedelta(seconds=20))
        await asyncio.sleep(2.5)
        left = await row(database)

    assert len(workers.starts_of("a")) == 2
    # One end, by the new owner: the fence went up once since it began.
    assert (left.state, left.fence, left.crashes) == ("done", fence + 1, 1)


async def row(database: Database) -> Row:
    async with database.autocommit() as tx:
        [job_id] = await tx.values(Statement(b"select id from queue.job"))
    return await look(database, job_id)


async def is_(database: Database, state: str) -> bool:
    return (await row(database)).state == state


async def test_4_a_restart_under_the_same_name_is_another_worker(database: Database) -> None:
    """Naive: a worker known by its host name hides its predecessor's jobs."""
    kinds = [kind_of(unused)]
    ids = {Worker(database, kinds, [LANE], version="test").id for _ in range(3)}

    assert len(ids) == 3


async def test_5_recovery_needs_no_free_place(database: Database, database_url: str) -> None:
    """Naive: recovery is a job of the same queue, and waits behind what hangs."""
    await make_lane(database, slots=4)
    async with worker_processes(database_url) as workers:
        first, second = await workers.start(pool=2), await workers.start(pool=2)
        await put(database, *(job_that("sleep", f"h{n}", seconds=40) for n in range(4)))
        for each in range(4):
            await asyncio.wait(
                [asyncio.create_task(worker.begun(f"h{each}")) for worker in (first, second)],
                return_when=asyncio.FIRST_COMPLETED,
            )
        lost = {each.key for each in first.started}
        assert len(lost) == 2
        first.process.kill()
        third = await workers.start(pool=4)
        # Its calls were out without an id; they may be until the end they had said.
        await run_sql(database, b"update queue.job set call_until = now() where state = 'running'")
        for key in lost:
            await third.begun(key, within=timedelta(seconds=20))


async def test_6_and_7_a_long_job_in_a_living_worker_is_never_taken_over(
    database: Database, database_url: str
) -> None:
    """Three leases long, and for two of them the event loop stands still.

    Naive: a rescue by time alone, or beats from the loop that works.
    """
    await make_lane(database)
    async with worker_processes(database_url) as workers:
        await workers.start()
        await workers.start()
        await put(
            database, job_that("sleep", "long", seconds=15), job_that("block", "stuck", seconds=10)
        )
        await until(lambda: all_done(database), within=MINUTE)
        starts = [len(workers.starts_of(key)) for key in ("long", "stuck")]

    assert starts == [1, 1]
    async with database.autocommit() as tx:
        assert await tx.values(Statement(b"select distinct crashes from queue.job")) == [0]


async def all_done(database: Database) -> bool:
    async with database.autocommit() as tx:
        left = await tx.values(Statement(b"select count(*) from queue.job where state <> 'done'"))
    return left == [0]


async def test_10_what_is_called_again_after_a_death_comes_back_spread_out(
    database: Database,
) -> None:
    """Naive: all of it due at once, in lockstep, onto an engine that has just seen a blip."""
    await make_lane(database, slots=200)
    await put(database, *(new_job(str(n)) for n in range(200)))
    jobs = await claim(database, 200, worker=OTHER)
    for job in jobs:
        await Hold(database, job).start(nothing, call=MINUTE)
    await die_for_all_to_see(database, OTHER)

    assert await take_back(database, patient=False) == 200

    async with database.autocommit() as tx:
        [spread] = await tx.values(
            Statement(b"select max(due_at) - min(due_at) from queue.job where state = 'waiting'")
        )
    assert timedelta(seconds=0.8) < spread <= timedelta(seconds=1)
