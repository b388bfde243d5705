"""Producers meet producers and workers: no deadlock, no double, no flood."""

import asyncio
from contextlib import suppress
from uuid import uuid4

from quoth.queue import enqueue as enqueueing
from quoth.queue.change import Change
from quoth.queue.claim import claim_jobs
from quoth.queue.enqueue import enqueue
from quoth.queue.finish import finish
from quoth.storage import Database, Statement
from tests.queue.harness import LANE, kind_of, make_lane, new_job, put, run_sql, unused
from tests.queue.stories.naive import naive

COUNT = Statement(b"select count(*) from queue.job")
DEADLOCKS = Statement(
    b"select deadlocks from pg_stat_database where datname = current_database()"
    b" and pg_stat_clear_snapshot() is not null"
)
# First in, first out: what everybody does until there is a flood.
FIFO = """
insert into queue.job (kind, lane, flow, key, payload, turn, max_tries, deadline, expires_at)
select %(kind)s, lane, flow, key, payload, 0 * %(step)s::bigint, max_tries,
       make_interval(secs => deadline), now() + make_interval(secs => expires_after)
  from jsonb_to_recordset(%(jobs)s::jsonb)
       as given (key text, payload jsonb, lane text, flow text, deadline double precision,
                 expires_after double precision, max_tries smallint)
on conflict (kind, key) do nothing
returning id
"""


class RolledBack(Exception):
    """The first producer changes its mind."""


async def test_17_producers_and_workers_of_the_same_rows_never_deadlock(
    database: Database, database_url: str
) -> None:
    """Naive: `on conflict do update` and a batch of ends that lock rows in different orders."""
    await make_lane(database, slots=200)
    keys = [str(n) for n in range(1000)]
    loop = asyncio.get_running_loop()
    until = loop.time() + 4

    async def produce(backwards: bool) -> None:
        async with Database.open(database_url, connections=1) as mine:
            while loop.time() < until:
                order = reversed(keys) if backwards else keys
                await put(mine, *(new_job(key) for key in order))

    async def complete() -> None:
        worker, kinds = uuid4(), {"test": kind_of(unused)}
        async with Database.open(database_url, connections=1) as mine:
            while loop.time() < until:
                claimed = await claim_jobs(mine, LANE, worker=worker, limit=50)
                changes = [Change(job, "pending", refund=True) for job in claimed]
                if changes:
                    await finish(mine, kinds, changes)

    async with asyncio.TaskGroup() as group:
        for backwards in (False, True, False, True):
            group.create_task(produce(backwards))
            group.create_task(complete())

    async with database.autocommit() as tx:
        assert await tx.values(DEADLOCKS) == [0]
        assert await tx.values(COUNT) == [1000]


async def test_27_one_key_is_one_job_though_the_first_producer_rolls_back(
    database: Database,
) -> None:
    """Naive: an advisory lock and a look: its holder rolls back and nobody has inserted."""
    await make_lane(database)
    begun = asyncio.Event()

    async def first() -> None:
        with suppress(RolledBack):
            async with database.transaction() as tx:
                await enqueue(tx, "test", [new_job("once")])
                begun.set()
                await asyncio.sleep(0.3)
                raise RolledBack

    async def other() -> list[int]:
        await begun.wait()
        return await put(database, new_job("once"))

    rolled_back = asyncio.create_task(first())
    ids = await asyncio.gather(*(other() for _ in range(7)))
    await rolled_back

    assert len({job_id for [job_id] in ids}) == 1
    async with database.autocommit() as tx:
        assert await tx.values(COUNT) == [1]


async def served_in_a_thousand(database: Database) -> int:
    """How many of 999 small checks have a turn among the first thousand, behind a flood."""
    await make_lane(database, slots=1000)
    for start in range(0, 100_000, 10_000):
        await put(database, *(new_job(f"big{start + n}", flow="flood") for n in range(10_000)))
    for check in range(999):
        await put(database, *(new_job(f"{check}-{n}", flow=f"small:{check}") for n in range(10)))
    await run_sql(database, b"analyze queue.job")
    claimed = await claim_jobs(database, LANE, worker=uuid4(), limit=1000)
    served = {str(job.payload["key"]).partition("-")[0] for job in claimed}
    return sum(not key.startswith("big") for key in served)


async def test_25_a_flood_leaves_every_small_check_its_turns(database: Database) -> None:
    assert await served_in_a_thousand(database) >= 500


async def test_25_naive_first_come_is_first_served_alone(database: Database) -> None:
    with naive(enqueueing.sql, "enqueue_jobs", FIFO):
        assert await served_in_a_thousand(database) == 0


async def test_25_a_cancelled_flood_leaves_no_ghosts(database: Database) -> None:
    """A flow that comes later does not queue behind turns that nobody will take."""
    await make_lane(database, slots=10)
    await put(database, *(new_job(f"big{n}", flow="flood") for n in range(5000)))
    await run_sql(
        database,
        b"update queue.job set state = 'cancelled', ended_at = now() where state = 'pending'",
    )
    await put(database, *(new_job(f"a{n}", flow="a") for n in range(10)))
    await put(database, *(new_job(f"b{n}", flow="b") for n in range(10)))

    claimed = await claim_jobs(database, LANE, worker=uuid4(), limit=10)

    flows = [str(job.payload["key"])[0] for job in claimed]
    # The first in an idle lane is one turn ahead.
    assert min(flows.count("a"), flows.count("b")) >= 4
