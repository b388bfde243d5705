"""A lane's limit holds whoever claims, and a free place is found by the next claim."""

import asyncio
import time
from datetime import timedelta
from itertools import accumulate
from uuid import uuid4

from quoth.queue import claim as claiming
from quoth.queue.change import Change
from quoth.queue.claim import claim_jobs
from quoth.queue.finish import finish
from quoth.queue.job import Done, Held, Outcome
from quoth.queue.worker import Pace
from quoth.storage import Database, Statement
from tests.queue.harness import (
    LANE,
    kind_of,
    make_lane,
    new_job,
    nothing,
    put,
    run_sql,
    until,
    unused,
    working,
)
from tests.queue.stories.naive import naive

LIMIT = 8
OPEN = Statement(b"select count(*) from queue.job where state not in ('done')")

# pgqueuer#761: how many run is counted in a snapshot, and the rows that are locked are slid past.
COUNT_THEN_CLAIM = """
with fresh as (
    select id from queue.job
     where lane = %(lane)s and state = 'pending' and not %(suspects)s
     order by turn, id
     limit greatest(0, least(%(limit)s, (select slots from queue.lane where name = %(lane)s)
                    - (select count(*) from queue.job where lane = %(lane)s and state = 'claimed')))
       for update skip locked
)
update queue.job
   set state = 'claimed', fence = fence + 1, tries = tries + 1, worker = %(worker)s, slot = 0
  from fresh
 where job.id = fresh.id
returning job.id, kind, lane, payload, fence, tries, max_tries, crashes, deferrals, worker, slot,
          deadline, created_at, expires_at
"""


async def most_at_once(database_url: str, jobs: int) -> int:
    """Six claimers, each with connections of its own, work the lane empty; how many overlap?"""
    spans: list[tuple[float, int]] = []

    async def claimer() -> None:
        worker = uuid4()
        async with Database.open(database_url, connections=2) as database:
            while True:
                claimed = await claim_jobs(database, LANE, worker=worker, limit=4)
                spans.extend((time.monotonic(), 1) for _ in claimed)
                await asyncio.sleep(0.005)
                spans.extend((time.monotonic(), -1) for _ in claimed)
                if claimed:
                    changes = [Change(job, "done") for job in claimed]
                    await finish(database, {"test": kind_of(unused)}, changes)
                    continue
                async with database.autocommit() as tx:
                    if (await tx.values(OPEN))[0] == 0:
                        return

    async with Database.open(database_url) as database:
        await make_lane(database, slots=LIMIT)
        await put(database, *(new_job(str(n)) for n in range(jobs)))
    async with asyncio.TaskGroup() as group:
        for _ in range(6):
            group.create_task(claimer())
    return max(accumulate(change for _, change in sorted(spans)))


async def test_1_a_shared_limit_is_never_exceeded(database_url: str) -> None:
    assert await most_at_once(database_url, 600) == LIMIT


async def test_1_naive_a_count_is_not_a_limit(database_url: str) -> None:
    with naive(claiming.sql, "claim_jobs", COUNT_THEN_CLAIM):
        assert await most_at_once(database_url, 600) > LIMIT


async def test_18_a_limit_is_one_under_any_plan(database: Database) -> None:
    """Naive: the locking scan as a plain sub-select, run again for each row by a nested loop."""
    await make_lane(database, slots=100)
    await put(database, *(new_job(str(n)) for n in range(50)))
    await run_sql(database, b"analyze queue.job")
    await run_sql(database, b"update pg_class set reltuples = 1 where relname in ('job', 'slot')")
    async with database.transaction() as tx:
        for join in (b"hashjoin", b"mergejoin", b"material"):
            await tx.run(Statement(b"set local enable_" + join + b" = off"))
        rows = await tx.values(
            claiming.sql.claim_jobs, lane=LANE, worker=uuid4(), limit=7, suspects=False
        )

    assert len(rows) == 7


async def test_24_a_place_that_is_freed_is_used_at_once(database: Database) -> None:
    """Naive: somebody has to unblock the next one, and does so late or not at all."""
    await make_lane(database, slots=5)

    async def work(held: Held) -> Outcome:
        await asyncio.sleep(0.5)
        return Done(nothing)

    async def over() -> bool:
        async with database.autocommit() as tx:
            return bool((await tx.values(OPEN))[0] == 0)

    async with working(database, kind_of(work), pace=Pace(pool=20)):
        await asyncio.sleep(0.5)
        began = time.monotonic()
        await put(database, *(new_job(str(n)) for n in range(20)))
        await until(over, within=timedelta(seconds=10))
        took = time.monotonic() - began

    # Four rounds of half a second; the 20 jobs of 1 s in 4.5 s, at half the length.
    assert took <= 2.25
