from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from quoth.queue.hold import Hold
from quoth.queue.job import Job
from quoth.queue.reap import expire, promote, prune, reap
from quoth.storage import Database
from tests.queue.harness import (
    LOCK,
    ME,
    MINUTE,
    Endings,
    claim,
    kind_of,
    look,
    make_lane,
    new_job,
    nothing,
    occupied,
    put,
    run_sql,
    unused,
)

ALIVE = b"""
insert into queue.worker (id, host, pid, version, lanes, lock_key, witnessed, beat_at)
values (%(id)s, 'here', 1, 'test', '{}', %(lock)s, %(witnessed)s, now() - %(silent)s)
on conflict (id) do update set beat_at = excluded.beat_at
"""
OTHER = uuid4()


async def beat_of(
    database: Database, worker: UUID, *, silent: timedelta, witnessed: bool = True
) -> None:
    """A worker whose last beat was `silent` ago and whose session lock nobody holds."""
    await run_sql(database, ALIVE, id=worker, lock=4711, witnessed=witnessed, silent=silent)


async def die_for_all_to_see(database: Database, worker: UUID) -> None:
    """A worker whose session lock is gone and whose beat is missed."""
    await run_sql(
        database,
        b"insert into queue.worker (id, host, pid, version, lanes, lock_key, witnessed, beat_at)"
        b" values (%(id)s, 'here', 1, 'test', '{}', 4711, true,"
        b" greatest(now() - interval '2 s', pg_postmaster_start_time() + interval '1 ms'))",
        id=worker,
    )
    await run_sql(database, b"select pg_sleep(1.6)")


async def take_back(
    database: Database, *, patient: bool = False, endings: Endings | None = None
) -> int:
    kinds = {"test": kind_of(unused, endings)}
    return await reap(database, kinds, worker=ME, patient=patient)


async def held_by_other(database: Database, *, running: bool, attached: bool = False) -> Job:
    await make_lane(database, slots=1)
    await put(database, new_job("a"))
    [job] = await claim(database, worker=OTHER)
    if running:
        hold = Hold(database, job)
        await hold.start(nothing, call=MINUTE)
        if attached:
            await hold.checkpoint(nothing)
    return job


async def test_a_living_worker_keeps_its_job(database: Database) -> None:
    job = await held_by_other(database, running=True)
    await beat_of(database, OTHER, silent=timedelta(seconds=1))

    assert await take_back(database, patient=True) == 0
    assert (await look(database, job.id)).state == "running"


async def test_a_claimed_job_of_a_dead_worker_is_pending_again_and_refunded(
    database: Database,
) -> None:
    job = await held_by_other(database, running=False)
    await beat_of(database, OTHER, silent=timedelta(seconds=6))

    assert await take_back(database, patient=True) == 1

    row = await look(database, job.id)
    assert (row.state, row.tries, row.crashes, row.slot) == ("pending", 0, 1, None)
    assert row.fence > job.fence
    assert await occupied(database) == []


async def test_a_running_job_of_a_dead_worker_is_charged_and_keeps_its_place(
    database: Database,
) -> None:
    job = await held_by_other(database, running=True, attached=True)
    await beat_of(database, OTHER, silent=timedelta(seconds=6))

    assert await take_back(database, patient=True) == 1
    row = await look(database, job.id)
    assert (row.state, row.tries, row.slot) == ("waiting", 1, 0)
    assert row.due_at <= row.now
    await promote(database)

    [again] = await claim(database)
    assert (again.id, again.slot, again.tries) == (job.id, 0, 2)


async def test_a_call_that_may_still_be_out_is_waited_for(database: Database) -> None:
    job = await held_by_other(database, running=True, attached=False)
    await beat_of(database, OTHER, silent=timedelta(seconds=6), witnessed=False)

    await take_back(database, patient=True)

    row = await look(database, job.id)
    assert timedelta(seconds=55) < row.due_at - row.now <= MINUTE
    assert await occupied(database) == [0]


async def test_nobody_is_judged_by_an_impatient_worker(database: Database) -> None:
    job = await held_by_other(database, running=True)
    await beat_of(database, OTHER, silent=timedelta(minutes=5), witnessed=False)

    assert await take_back(database, patient=False) == 0
    assert (await look(database, job.id)).state == "running"


async def test_a_worker_without_a_row_is_dead(database: Database) -> None:
    job = await held_by_other(database, running=False)

    assert await take_back(database, patient=True) == 1
    assert (await look(database, job.id)).state == "pending"


async def test_a_lost_lock_and_a_missed_beat_are_a_death_at_once(database: Database) -> None:
    job = await held_by_other(database, running=True, attached=True)
    await die_for_all_to_see(database, OTHER)

    assert await take_back(database, patient=False) == 1
    assert (await look(database, job.id)).state == "waiting"


async def test_a_held_lock_is_a_witness_for_its_worker(
    database: Database, database_url: str
) -> None:
    job = await held_by_other(database, running=True)
    async with Database.open(database_url, connections=1) as holder, holder.autocommit() as tx:
        await tx.values(LOCK)
        await run_sql(database, b"select pg_sleep(1.6)")
        await beat_of(database, OTHER, silent=timedelta(seconds=1.6))

        assert await take_back(database, patient=False) == 0
    assert (await look(database, job.id)).state == "running"


async def test_after_three_deaths_a_job_has_failed_and_its_kind_is_told(
    database: Database,
) -> None:
    job = await held_by_other(database, running=False)
    endings = Endings()
    await run_sql(database, b"update queue.job set crashes = 2")

    await take_back(database, patient=True, endings=endings)

    assert (await look(database, job.id)).state == "failed"
    assert [ended.how for ended in endings.seen] == ["failed"]
    assert await occupied(database) == []


async def test_a_job_far_past_its_deadline_is_taken_from_a_living_worker(
    database: Database,
) -> None:
    await held_by_other(database, running=True)
    await beat_of(database, OTHER, silent=timedelta(0))
    await run_sql(database, b"update queue.job set started_at = now() - deadline - interval '61 s'")

    assert await take_back(database) == 1


async def test_a_due_job_gets_its_turn_and_one_that_is_not_due_waits(
    database: Database,
) -> None:
    await make_lane(database)
    due, later = await put(database, new_job("a"), new_job("b"))
    await run_sql(
        database,
        b"update queue.job set state = 'waiting',"
        b" due_at = now() + case when id = %(later)s then interval '1 h' else interval '0' end",
        later=later,
    )

    assert await promote(database) == 1

    assert (await look(database, due)).state == "pending"
    assert (await look(database, later)).state == "waiting"


async def test_what_waits_past_its_time_is_cancelled_and_its_kind_is_told(
    database: Database,
) -> None:
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))
    await run_sql(database, b"update queue.job set expires_at = now()")
    endings = Endings()

    await expire(database, {"test": kind_of(unused, endings)})

    assert (await look(database, job_id)).state == "cancelled"
    assert [ended.how for ended in endings.seen] == ["expired"]


@pytest.mark.parametrize(("state", "left"), [("done", 0), ("failed", 0), ("pending", 3)])
async def test_only_what_has_ended_long_ago_is_pruned(
    database: Database, state: str, left: int
) -> None:
    await make_lane(database)
    await put(database, *(new_job(str(n)) for n in range(3)))
    await run_sql(
        database,
        b"update queue.job set state = %(state)s, ended_at = now() - interval '8 days'",
        state=state,
    )

    pruned = await prune(database, keep=timedelta(days=7))

    assert pruned == 3 - left
