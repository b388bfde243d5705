from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from quoth.queue.desk.failed import NoRetry, Which, discard_failed, forget_failed, retry_failed
from quoth.queue.desk.look import count_failed, list_failed, load_lanes
from quoth.queue.lanes import ensure_lane
from quoth.storage import Database, Statement

ADD = Statement(b"""
insert into queue.job (kind, lane, flow, key, payload, state, turn, max_tries, deadline, expires_at,
                       due_at, ended_at)
select %(kind)s, %(lane)s, 'a', %(lane)s || ' ' || %(state)s || ' ' || n,
       jsonb_build_object('n', n), %(state)s, n, 4, '1 min', now() + interval '1 day',
       now() - n * interval '1 min',
       case when %(state)s in ('done', 'failed') then now() - %(ago)s::interval end
  from generate_series(1, %(rows)s) as n
""")
KEYS = Statement(b"select key from queue.job order by id")


async def add(
    database: Database,
    state: str,
    rows: int = 1,
    *,
    lane: str = "a",
    kind: str = "work",
    ago: timedelta = timedelta(0),
) -> None:
    async with database.transaction() as tx:
        await ensure_lane(tx, lane)
        await tx.run(ADD, kind=kind, lane=lane, state=state, rows=rows, ago=ago)


async def keys(database: Database) -> list[Any]:
    async with database.autocommit() as tx:
        return await tx.values(KEYS)


class Room:
    """Notes for which jobs it was asked, and does each again."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    async def again(self, _database: Database, payloads: Sequence[dict[str, Any]]) -> int:
        self.asked += payloads
        return len(payloads)


async def test_a_lane_counts_what_waits_and_what_it_worked_off_in_a_minute(
    database: Database,
) -> None:
    await add(database, "done", 3)
    await add(database, "failed", 2, ago=timedelta(minutes=2))
    await add(database, "pending", 4)
    await add(database, "waiting", 5)
    await add(database, "pending", lane="b")

    async with database.autocommit() as tx:
        [first, other] = await load_lanes(tx)

    assert (first.pending, first.waiting, first.lately) == (4, 5, 3)
    assert (other.pending, other.waiting, other.lately) == (1, 0, 0)


async def test_a_flood_that_came_later_hides_nothing_of_what_is_worked_off(
    database: Database,
) -> None:
    await add(database, "done", 7)
    await add(database, "pending", 12_000)

    async with database.autocommit() as tx:
        [lane] = await load_lanes(tx)

    assert (lane.lately, lane.pending) == (7, 10_000)


async def test_failed_jobs_are_listed_from_the_newest_on(database: Database) -> None:
    await add(database, "failed", 3)
    await add(database, "failed", lane="b", kind="other")

    async with database.autocommit() as tx:
        first = await list_failed(tx, limit=3)
        rest = await list_failed(tx, limit=3, before=first[-1].id)
        theirs = await list_failed(tx, lane="b")
        count = await count_failed(tx)

    assert [job.lane for job in first] == ["b", "a", "a"]
    assert [job.key for job in rest] == ["a failed 1"]
    assert [job.kind for job in theirs] == ["other"]
    assert count == 4


async def test_a_room_does_the_work_again_and_the_queue_forgets_the_job(
    database: Database,
) -> None:
    room = Room()
    await add(database, "failed", 3)
    await add(database, "done")
    async with database.autocommit() as tx:
        newest = (await list_failed(tx))[0]

    one = await retry_failed(database, {"work": room.again}, Which([newest.id, 4711]))
    twice = await retry_failed(database, {"work": room.again}, Which([newest.id]))

    assert (one.jobs, one.again) == ([newest.id], 1)
    assert (twice.jobs, twice.again) == ([], 0)
    assert room.asked == [{"n": 3}]
    assert await keys(database) == ["a failed 1", "a failed 2", "a done 1"]


async def test_nothing_is_tried_again_where_a_kind_is_not_known(database: Database) -> None:
    room = Room()
    await add(database, "failed")
    await add(database, "failed", kind="of.tomorrow")

    with pytest.raises(NoRetry, match=r"of\.tomorrow"):
        await retry_failed(database, {"work": room.again}, Which())

    assert room.asked == []
    assert len(await keys(database)) == 2


async def test_only_what_has_failed_is_discarded_and_only_where_it_is_said(
    database: Database,
) -> None:
    await add(database, "failed", 2)
    await add(database, "failed", lane="b", kind="other")
    await add(database, "pending")

    theirs = await discard_failed(database, Which(lane="b"))
    async with database.transaction() as tx:
        await forget_failed(tx, "work", ["a failed 2", "a pending 1"])

    assert len(theirs) == 1
    assert await keys(database) == ["a failed 1", "a pending 1"]
