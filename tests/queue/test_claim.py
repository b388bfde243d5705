import asyncio
from uuid import uuid4

from quoth.queue.enqueue import enqueue
from quoth.storage import Database
from tests.queue.harness import LANE, claim, look, make_lane, new_job, occupied, put, run_sql


async def test_a_claim_takes_jobs_in_turn_with_a_place_each(database: Database) -> None:
    await make_lane(database, slots=3)
    ids = await put(database, *(new_job(str(n)) for n in range(5)))

    claimed = await claim(database)

    assert [job.id for job in claimed] == ids[:3]
    assert {job.tries for job in claimed} == {1}
    assert await occupied(database) == [0, 1, 2]


async def test_no_job_is_claimed_twice_by_many_at_once(database: Database) -> None:
    await make_lane(database, slots=50)
    ids = await put(database, *(new_job(str(n)) for n in range(50)))

    claims = await asyncio.gather(*(claim(database, 7, worker=uuid4()) for _ in range(12)))

    claimed = [job.id for jobs in claims for job in jobs]
    assert len(claimed) == len(set(claimed))
    claimed += [job.id for job in await claim(database, 50)]
    assert sorted(claimed) == sorted(ids)


async def test_a_lane_never_gives_more_places_than_it_has(database: Database) -> None:
    await make_lane(database, slots=8)
    await put(database, *(new_job(str(n)) for n in range(200)))

    claims = await asyncio.gather(*(claim(database, 5, worker=uuid4()) for _ in range(10)))

    assert sum(len(jobs) for jobs in claims) <= 8
    assert len(await occupied(database)) <= 8


async def test_a_narrower_lane_gives_no_place_above_its_limit(database: Database) -> None:
    await make_lane(database, slots=4)
    await make_lane(database, slots=1)
    await put(database, new_job("a"), new_job("b"))

    assert len(await claim(database)) == 1


async def test_nothing_is_claimed_from_a_lane_that_cools_down(database: Database) -> None:
    await make_lane(database)
    await put(database, new_job("a"))
    await run_sql(database, b"update queue.lane set open_at = now() + interval '1 minute'")

    assert await claim(database) == []


async def test_a_rate_holds_in_any_minute(database: Database) -> None:
    await make_lane(database, slots=100, per_minute=120)
    await put(database, *(new_job(str(n)) for n in range(10)))

    first = await claim(database)
    second = await claim(database)

    assert len(first) == 2  # one second's worth may start at once
    assert second == []


async def test_a_rate_lets_the_next_go_when_its_time_has_come(database: Database) -> None:
    await make_lane(database, slots=100, per_minute=60)
    await put(database, *(new_job(str(n)) for n in range(3)))
    assert len(await claim(database)) == 1

    await run_sql(database, b"update queue.lane set arrival_at = arrival_at - interval '1 s'")

    assert len(await claim(database)) == 1


async def test_a_flood_does_not_starve_a_small_check(database: Database) -> None:
    await make_lane(database, slots=100)
    await put(database, *(new_job(f"flood:{n}", flow="flood") for n in range(1000)))
    small = await put(database, *(new_job(f"small:{n}", flow="small") for n in range(4)))

    claimed = {job.id for job in await claim(database, 10)}

    assert set(small) <= claimed


async def test_a_heavier_flow_gets_more_turns(database: Database) -> None:
    await make_lane(database, slots=100)
    async with database.transaction() as tx:
        await enqueue(tx, "test", [new_job(f"l{n}", flow="light") for n in range(60)])
        heavy = await enqueue(
            tx, "test", [new_job(f"h{n}", flow="heavy") for n in range(60)], weight=2
        )

    claimed = [job.id for job in await claim(database, 30)]

    assert 18 <= len(set(claimed) & set(heavy)) <= 22


async def test_a_newcomer_to_a_busy_lane_is_not_served_for_its_absence(
    database: Database,
) -> None:
    await make_lane(database, slots=100)
    await put(database, *(new_job(f"old:{n}", flow="old") for n in range(60)))
    await claim(database, 40)

    await put(database, *(new_job(f"new:{n}", flow="new") for n in range(20)))

    keys = [str(job.payload["key"]) for job in await claim(database, 10)]
    assert 4 <= sum(key.startswith("old") for key in keys) <= 6


async def test_the_same_key_is_one_job(database: Database) -> None:
    await make_lane(database)

    first = await put(database, new_job("a"), new_job("b"))
    again = await put(database, new_job("b"), new_job("c"))

    assert again[0] == first[1]
    assert len({*first, *again}) == 3


async def test_jobs_that_are_enqueued_in_a_transaction_that_fails_do_not_exist(
    database: Database,
) -> None:
    await make_lane(database)

    try:
        async with database.transaction() as tx:
            await enqueue(tx, "test", [new_job("a")])
            raise LookupError
    except LookupError:
        pass

    assert await claim(database) == []


async def test_a_job_whose_time_is_over_is_not_claimed(database: Database) -> None:
    await make_lane(database)
    [job_id] = await put(database, new_job("a"))
    await run_sql(database, b"update queue.job set expires_at = now()")

    assert await claim(database) == []
    assert (await look(database, job_id)).state == "pending"


async def test_a_job_that_kept_its_place_goes_on_in_it(database: Database) -> None:
    await make_lane(database, slots=1)
    await put(database, new_job("a"))
    [job] = await claim(database)
    await run_sql(database, b"update queue.job set state = 'pending', worker = null")
    await put(database, new_job("b", flow="other"))

    [again] = await claim(database)

    assert again.id == job.id
    assert again.slot == job.slot
    assert again.lane == LANE
