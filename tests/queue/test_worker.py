import asyncio
from datetime import timedelta

from quoth.queue.cancel import cancel_jobs
from quoth.queue.job import Done, Held, Outcome, Retry
from quoth.queue.worker import Pace
from quoth.storage import Database, Transaction
from tests.queue.harness import (
    MINUTE,
    Endings,
    kind_of,
    look,
    make_lane,
    new_job,
    nothing,
    occupied,
    put,
    run_sql,
    until,
    working,
)

MAKE_DUE = b"update queue.job set due_at = now() where state = 'waiting'"


async def states(database: Database, ids: list[int]) -> list[str]:
    return [(await look(database, job_id)).state for job_id in ids]


async def test_works_what_is_there_and_what_comes(database: Database) -> None:
    await make_lane(database)
    seen: list[str] = []

    async def greet(held: Held) -> Outcome:
        seen.append(held.job.payload["key"])
        return Done(nothing)

    early = await put(database, new_job("a"), new_job("b"))
    async with working(database, kind_of(greet)):
        await until(lambda: all_done(database, early))
        late = await put(database, new_job("c"))
        await until(lambda: all_done(database, late))

    assert sorted(seen) == ["a", "b", "c"]
    assert await occupied(database) == []


async def all_done(database: Database, ids: list[int]) -> bool:
    return set(await states(database, ids)) == {"done"}


async def test_the_pool_bounds_what_runs_at_once(database: Database) -> None:
    await make_lane(database, slots=10)
    running = most = 0

    async def work(held: Held) -> Outcome:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1
        return Done(nothing)

    ids = await put(database, *(new_job(str(n)) for n in range(12)))
    async with working(database, kind_of(work), pace=Pace(pool=3)):
        await until(lambda: all_done(database, ids))

    assert most == 3


async def test_a_slow_lane_never_takes_the_last_place_of_another(database: Database) -> None:
    await make_lane(database, "slow", slots=10)
    await make_lane(database, "fast", slots=10)
    release = asyncio.Event()

    async def work(held: Held) -> Outcome:
        if held.job.lane == "slow":
            await release.wait()
        return Done(nothing)

    await put(database, *(new_job(f"s{n}", lane="slow") for n in range(10)))
    async with working(database, kind_of(work), lanes=["slow", "fast"], pace=Pace(pool=4)):
        fast = await put(database, *(new_job(f"f{n}", lane="fast") for n in range(5)))
        await until(lambda: all_done(database, fast))
        release.set()


async def test_a_handler_that_raises_is_tried_again(database: Database) -> None:
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))

    async def fail(held: Held) -> Outcome:
        raise KeyError("surprise")

    async with working(database, kind_of(fail)):
        await until(lambda: is_(database, job_id, "waiting"))

    row = await look(database, job_id)
    assert row.tries == 1
    assert "KeyError" in (row.reason or "")


async def is_(database: Database, job_id: int, state: str) -> bool:
    return (await look(database, job_id)).state == state


async def test_a_result_that_cannot_be_saved_is_not_bought_again(database: Database) -> None:
    await make_lane(database)
    kept: list[str] = []

    async def fail(tx: Transaction) -> None:
        raise ValueError("a character that PostgreSQL refuses")

    async def keep(tx: Transaction) -> None:
        kept.append("raw")

    async def ask(held: Held) -> Outcome:
        return Done(fail, late=keep)

    [job_id] = await put(database, new_job("a"))
    async with working(database, kind_of(ask)):
        await until(lambda: is_(database, job_id, "failed"))

    assert kept == ["raw"]


async def test_a_job_past_its_deadline_is_stopped_and_charged(database: Database) -> None:
    await make_lane(database)
    job = new_job("a")
    [job_id] = await put(
        database,
        type(job)(
            key="a",
            payload={},
            lane=job.lane,
            flow=job.flow,
            deadline=timedelta(milliseconds=50),
        ),
    )
    given_up: list[bool] = []

    async def hang(held: Held) -> Outcome:
        try:
            await asyncio.Event().wait()
        finally:
            given_up.append(held.given_up)
        return Done(nothing)

    async with working(database, kind_of(hang)):
        await until(lambda: is_(database, job_id, "waiting"))

    assert given_up == [True]
    assert (await look(database, job_id)).tries == 1


async def test_a_cancelled_job_is_stopped_where_it_runs(database: Database) -> None:
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))
    endings = Endings()

    async def hang(held: Held) -> Outcome:
        await held.start(nothing, call=MINUTE)
        await asyncio.Event().wait()
        return Done(nothing)

    async with working(database, kind_of(hang, endings)):
        await until(lambda: is_(database, job_id, "running"))
        async with database.transaction() as tx:
            await cancel_jobs(tx, [job_id], "not wanted")
        await until(lambda: is_(database, job_id, "cancelled"))

    assert [ended.how for ended in endings.seen] == ["cancelled"]


async def test_a_drain_lets_go_at_once_of_what_can_go_on_elsewhere(database: Database) -> None:
    await make_lane(database)
    attached_id, claimed_id = await put(database, new_job("attached"), new_job("claimed"))
    given_up: list[bool] = []

    async def hang(held: Held) -> Outcome:
        if held.job.payload["key"] == "attached":
            await held.start(nothing, call=MINUTE)
            await held.checkpoint(nothing)
        try:
            await asyncio.Event().wait()
        finally:
            given_up.append(held.given_up)
        return Done(nothing)

    async with working(database, kind_of(hang)):
        await until(lambda: is_(database, attached_id, "running"))
        await until(lambda: is_(database, claimed_id, "claimed"))

    assert given_up == [False, False]
    assert await states(database, [attached_id, claimed_id]) == ["pending", "pending"]
    assert [(await look(database, job_id)).tries for job_id in (attached_id, claimed_id)] == [0, 0]
    assert await occupied(database) == [0]


async def test_a_drain_waits_for_a_call_that_cannot_be_taken_up_elsewhere(
    database: Database,
) -> None:
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))
    answered = asyncio.Event()

    async def ask(held: Held) -> Outcome:
        await held.start(nothing, call=MINUTE)
        await asyncio.sleep(0.3)
        answered.set()
        return Done(nothing)

    async with working(database, kind_of(ask)):
        await until(lambda: is_(database, job_id, "running"))

    assert answered.is_set()
    assert (await look(database, job_id)).state == "done"


async def test_after_the_grace_a_drain_lets_go(database: Database) -> None:
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))

    async def hang(held: Held) -> Outcome:
        await held.start(nothing, call=MINUTE)
        await asyncio.Event().wait()
        return Done(nothing)

    pace = Pace(drain=timedelta(milliseconds=100))
    async with working(database, kind_of(hang), pace=pace):
        await until(lambda: is_(database, job_id, "running"))

    row = await look(database, job_id)
    assert (row.state, row.tries, row.slot) == ("pending", 0, None)


async def test_a_retry_that_is_due_is_tried_again_until_it_succeeds(database: Database) -> None:
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))

    async def third_time(held: Held) -> Outcome:
        if held.job.tries < 3:
            return Retry("not yet")
        return Done(nothing)

    async with working(database, kind_of(third_time)):
        async with asyncio.timeout(15):
            while not await is_(database, job_id, "done"):
                await run_sql(database, MAKE_DUE)
                await asyncio.sleep(0.05)

    assert (await look(database, job_id)).tries == 3
