"""A death is every job's that its process held; only one that dies alone is to blame."""

import asyncio
from datetime import timedelta
from functools import partial

from quoth.queue.claim import claim_suspect
from quoth.queue.enqueue import enqueue
from quoth.queue.job import Done, Held, Outcome
from quoth.storage import Database, Statement
from quoth.storage.addresses import Addresses
from tests.queue.harness import (
    LANE,
    ME,
    MINUTE,
    claim,
    kind_of,
    look,
    make_lane,
    new_job,
    nothing,
    put,
    run_sql,
    until,
    working,
)
from tests.queue.processes import WorkerProcess, job_that, worker_processes
from tests.queue.test_reap import OTHER, take_back

SUSPECT = b"update queue.job set crashes = 2 where key = %(key)s"


async def test_a_suspect_is_left_out_of_claims_and_taken_by_one_process_at_a_time(
    database: Database,
) -> None:
    await make_lane(database)
    await put(database, *(new_job(key) for key in ("a", "b", "innocent")))
    await run_sql(database, SUSPECT, key="a")
    await run_sql(database, SUSPECT, key="b")

    claimed = await claim(database)
    first = await claim_suspect(database, [LANE], worker=ME)
    second = await claim_suspect(database, [LANE], worker=OTHER)

    assert [job.payload["key"] for job in claimed] == ["innocent"]
    assert [job.payload["key"] for job in first] == ["a"]
    assert second == []


async def test_a_third_death_in_company_fails_nobody_and_alone_it_does(
    database: Database,
) -> None:
    await make_lane(database)
    job_id, _ = await put(database, new_job("a"), new_job("b"))
    await claim(database, worker=OTHER)
    await run_sql(database, SUSPECT, key="a")

    await take_back(database, patient=True)
    in_company = await look(database, job_id)
    await claim_suspect(database, [LANE], worker=OTHER)
    await take_back(database, patient=True)
    alone = await look(database, job_id)

    assert (in_company.state, in_company.crashes) == ("pending", 3)
    assert (alone.state, alone.crashes) == ("failed", 4)
    assert "on nothing else" in (alone.reason or "")


async def test_a_worker_does_nothing_else_while_it_works_on_a_suspect(database: Database) -> None:
    await make_lane(database)
    running: set[str] = set()
    with_suspect: list[set[str]] = []

    async def work(held: Held) -> Outcome:
        running.add(held.job.payload["key"])
        if held.job.crashes:
            with_suspect.append(set(running))
        await asyncio.sleep(0.05)
        if held.job.crashes:
            with_suspect.append(set(running))
        running.discard(held.job.payload["key"])
        return Done(nothing)

    ids = await put(database, *(new_job(str(n)) for n in range(100)), new_job("suspect"))
    await run_sql(database, SUSPECT, key="suspect")
    async with working(database, kind_of(work)):
        await until(lambda: all_done(database, ids))

    assert with_suspect == [{"suspect"}, {"suspect"}]


async def all_done(database: Database, ids: list[int]) -> bool:
    return {(await look(database, job_id)).state for job_id in ids} == {"done"}


async def test_a_poison_job_fails_and_its_neighbours_do_not(
    database: Database, addresses: Addresses
) -> None:
    """Naive: a cap on deaths alone. The neighbours in the pool die as often, and fail with it."""
    await make_lane(database)
    neighbours = [job_that("sleep", f"n{n}", seconds=0.5) for n in range(12)]
    [poison, *innocent] = await put(database, job_that("die", "poison"), *neighbours)

    async with worker_processes(addresses) as workers:
        async with asyncio.timeout(90):
            while await open_jobs(database):
                worker = await workers.start(pool=4)
                await until(partial(over, database, worker), within=MINUTE)
        calls = workers.starts_of("poison")

    assert (await look(database, poison)).state == "failed"
    assert {(await look(database, job_id)).state for job_id in innocent} == {"done"}
    assert len(calls) == 3


async def over(database: Database, worker: WorkerProcess) -> bool:
    return worker.process.returncode is not None or not await open_jobs(database)


async def open_jobs(database: Database) -> bool:
    return bool(
        await run_sql(
            database,
            b"select 1 from queue.job where state not in ('done', 'failed', 'cancelled')",
        )
    )


async def test_a_suspect_that_waits_to_be_alone_is_let_go_by_a_drain(database: Database) -> None:
    await make_lane(database)
    release = asyncio.Event()

    async def work(held: Held) -> Outcome:
        assert held.job.payload["key"] == "long"
        await held.start(nothing, call=timedelta(minutes=1))
        await release.wait()
        return Done(nothing)

    [long] = await put(database, new_job("long"))
    async with working(database, kind_of(work)):
        await until(lambda: is_(database, long, "running"))
        async with database.transaction() as tx:
            # Both at once, so that it is a suspect when it is first seen.
            [suspect] = await enqueue(tx, "test", [new_job("suspect")])
            await tx.run(Statement(SUSPECT), key="suspect")
        await until(lambda: is_(database, suspect, "claimed"))
        asyncio.get_running_loop().call_later(0.2, release.set)

    row = await look(database, suspect)
    assert (row.state, row.tries, row.crashes) == ("pending", 0, 2)


async def is_(database: Database, job_id: int, state: str) -> bool:
    return (await look(database, job_id)).state == state
