from datetime import timedelta
from uuid import uuid4

import pytest

from quoth.queue.cancel import cancel_jobs
from quoth.queue.change import Release, backoff, change_of
from quoth.queue.finish import finish, save_late
from quoth.queue.hold import Hold
from quoth.queue.job import (
    Defer,
    Discard,
    Done,
    Job,
    JobLost,
    LaneClosed,
    Outcome,
    Retry,
)
from quoth.storage import Database, Statement, Transaction
from tests.queue.harness import (
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


async def one_claimed(database: Database, *, max_tries: int = 4, slots: int = 4) -> Job:
    await make_lane(database, slots=slots)
    await put(database, new_job("a", max_tries=max_tries))
    [job] = await claim(database)
    return job


async def end(
    database: Database, job: Job, outcome: Outcome | Release, endings: Endings | None = None
) -> set[int]:
    kinds = {"test": kind_of(unused, endings)}
    return await finish(database, kinds, [change_of(job, outcome)])


async def write_note(tx: Transaction) -> None:
    await tx.run(Statement(b"create table note ()"))


async def has_note(database: Database) -> bool:
    async with database.autocommit() as tx:
        return (await tx.values(Statement(b"select to_regclass('note') is not null"))) == [True]


async def test_what_the_handler_saves_commits_with_the_job(database: Database) -> None:
    job = await one_claimed(database)

    lost = await end(database, job, Done(write_note))

    assert lost == set()
    assert (await look(database, job.id)).state == "done"
    assert await has_note(database)
    assert await occupied(database) == []


async def test_a_worker_that_lost_its_job_saves_nothing_but_what_came_late(
    database: Database,
) -> None:
    job = await one_claimed(database)
    await run_sql(database, b"update queue.job set fence = fence + 1")
    change = change_of(job, Done(nothing, late=write_note))

    lost = await finish(database, {}, [change])
    assert not await has_note(database)
    await save_late(database, change)

    assert lost == {job.id}
    assert await has_note(database)
    assert (await look(database, job.id)).state == "claimed"


async def test_a_save_that_fails_undoes_the_jobs_end(database: Database) -> None:
    job = await one_claimed(database)

    async def fail(tx: Transaction) -> None:
        raise ValueError("no such brand")

    with pytest.raises(ValueError, match="no such brand"):
        await end(database, job, Done(fail))

    assert (await look(database, job.id)).state == "claimed"


async def test_a_retry_waits_and_frees_its_place(database: Database) -> None:
    job = await one_claimed(database)

    await end(database, job, Retry("busy", after=timedelta(hours=1)))

    row = await look(database, job.id)
    assert (row.state, row.tries, row.reason) == ("waiting", 1, "busy")
    assert row.due_at - row.now > timedelta(minutes=59)
    assert row.fence > job.fence
    assert await occupied(database) == []


async def test_after_the_last_try_a_job_has_failed_and_its_kind_is_told(
    database: Database,
) -> None:
    job = await one_claimed(database, max_tries=1)
    endings = Endings()

    await end(database, job, Retry("busy"), endings)

    assert (await look(database, job.id)).state == "failed"
    assert [(ended.id, ended.how, ended.reason) for ended in endings.seen] == [
        (job.id, "failed", "busy")
    ]


async def test_a_discarded_job_has_failed(database: Database) -> None:
    job = await one_claimed(database)

    await end(database, job, Discard("refused"))

    assert (await look(database, job.id)).state == "failed"


async def test_a_deferral_spends_no_try(database: Database) -> None:
    job = await one_claimed(database)

    await end(database, job, Defer("slow down", after=timedelta(minutes=1)))

    row = await look(database, job.id)
    assert (row.state, row.tries, row.deferrals) == ("waiting", 0, 1)
    assert timedelta(seconds=59) < row.due_at - row.now < timedelta(seconds=80)


async def test_a_rate_limit_closes_the_lane_then_lets_one_probe_through(
    database: Database,
) -> None:
    job = await one_claimed(database, slots=4)
    await put(database, *(new_job(str(n)) for n in range(10)))

    await end(database, job, Defer("429", after=timedelta(seconds=30), cool_lane=True))
    closed = await claim(database)
    await run_sql(database, b"update queue.lane set open_at = now()")
    probe = await claim(database)
    beside = await claim(database)

    assert (closed, len(probe), beside) == ([], 1, [])
    await end(database, probe[0], Done(nothing))
    assert len(await claim(database)) == 2
    await run_sql(database, b"update queue.slot set job_id = null")


async def test_a_release_gives_the_try_back(database: Database) -> None:
    job = await one_claimed(database)

    await end(database, job, Release("shutdown"))

    row = await look(database, job.id)
    assert (row.state, row.tries, row.slot) == ("pending", 0, None)
    assert await occupied(database) == []


async def test_a_release_can_keep_the_place_of_a_call_that_goes_on(database: Database) -> None:
    job = await one_claimed(database)

    await end(database, job, Release("shutdown", keep_place=True))

    assert (await look(database, job.id)).slot == job.slot
    assert await occupied(database) == [job.slot]


async def test_start_writes_before_the_call_and_marks_the_job_running(
    database: Database,
) -> None:
    job = await one_claimed(database)

    await Hold(database, job).start(write_note, call=timedelta(seconds=30))

    assert (await look(database, job.id)).state == "running"
    assert await has_note(database)


async def test_no_call_starts_for_a_job_that_was_taken_over(database: Database) -> None:
    job = await one_claimed(database)
    await run_sql(database, b"update queue.job set fence = fence + 1")

    with pytest.raises(JobLost):
        await Hold(database, job).start(write_note, call=timedelta(seconds=30))

    assert not await has_note(database)


async def test_no_call_starts_into_a_lane_that_closed_after_the_claim(
    database: Database,
) -> None:
    job = await one_claimed(database)
    await run_sql(database, b"update queue.lane set open_at = now() + interval '1 minute'")

    with pytest.raises(LaneClosed):
        await Hold(database, job).start(write_note, call=timedelta(seconds=30))


async def test_a_job_that_waits_is_cancelled_at_once(database: Database) -> None:
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))

    async with database.transaction() as tx:
        ended = await cancel_jobs(tx, [job_id], "not wanted")

    assert ended == [job_id]
    assert (await look(database, job_id)).state == "cancelled"


async def test_a_running_job_that_is_cancelled_ends_through_its_worker(
    database: Database,
) -> None:
    job = await one_claimed(database)
    endings = Endings()

    async with database.transaction() as tx:
        assert await cancel_jobs(tx, [job.id], "not wanted") == []
    await end(database, job, Retry("whatever"), endings)

    assert (await look(database, job.id)).state == "cancelled"
    assert [ended.how for ended in endings.seen] == ["cancelled"]
    assert await occupied(database) == []


async def test_an_answer_that_came_before_the_cancel_is_kept(database: Database) -> None:
    job = await one_claimed(database)
    async with database.transaction() as tx:
        await cancel_jobs(tx, [job.id], "not wanted")

    await end(database, job, Done(write_note))

    assert (await look(database, job.id)).state == "done"


async def test_jobs_of_several_workers_end_in_one_commit(database: Database) -> None:
    await make_lane(database)
    await put(database, new_job("a"), new_job("b"))
    [first] = await claim(database, 1, worker=uuid4())
    [second] = await claim(database, 1, worker=uuid4())

    lost = await finish(
        database, {}, [change_of(first, Done(nothing)), change_of(second, Retry("later"))]
    )

    assert lost == set()
    assert (await look(database, first.id)).state == "done"
    assert (await look(database, second.id)).state == "waiting"


@pytest.mark.parametrize(("nth", "least", "most"), [(1, 3.5, 6.5), (3, 14, 26), (30, 420, 780)])
def test_backoff_doubles_up_to_a_cap_with_jitter(nth: int, least: float, most: float) -> None:
    assert all(least <= backoff(nth).total_seconds() <= most for _ in range(100))
