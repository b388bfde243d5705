from datetime import timedelta

import pytest

from quoth.queue.hold import Hold
from quoth.queue.job import LaneClosed
from quoth.queue.lanes import pause_lane, resume_lane
from quoth.storage import Database, NotFound
from tests.queue.harness import LANE, claim, make_lane, new_job, nothing, put, run_sql

CALL = timedelta(seconds=5)


async def pause(database: Database, name: str = LANE) -> None:
    async with database.transaction() as tx:
        await pause_lane(tx, name, "the account is empty")


async def resume(database: Database, name: str = LANE) -> None:
    async with database.transaction() as tx:
        await resume_lane(tx, name)


@pytest.mark.parametrize("per_minute", [None, 600])
async def test_nothing_is_claimed_from_a_paused_lane_until_it_is_resumed(
    database: Database, per_minute: int | None
) -> None:
    await make_lane(database, per_minute=per_minute)
    await put(database, new_job("a"))

    await pause(database)
    paused = await claim(database)
    await resume(database)
    resumed = await claim(database)

    assert (len(paused), len(resumed)) == (0, 1)


async def test_no_call_starts_in_a_lane_that_was_paused_after_the_claim(
    database: Database,
) -> None:
    await make_lane(database)
    await put(database, new_job("a"))
    [job] = await claim(database)
    await pause(database)

    with pytest.raises(LaneClosed):
        await Hold(database, job).start(nothing, call=CALL)


async def test_a_call_that_is_out_goes_on_in_a_paused_lane(database: Database) -> None:
    await make_lane(database)
    await put(database, new_job("a"))
    [job] = await claim(database)
    hold = Hold(database, job)
    await hold.start(nothing, call=CALL)
    await pause(database)

    await hold.checkpoint(nothing)
    await hold.start(nothing, call=CALL)


async def test_resuming_ends_a_cool_down_too(database: Database) -> None:
    await make_lane(database)
    await put(database, new_job("a"))
    await run_sql(database, b"update queue.lane set open_at = now() + interval '1 h', width = 1")

    await resume(database)

    assert len(await claim(database)) == 1


async def test_a_lane_that_is_not_there_is_not_found(database: Database) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        await pause(database, "nowhere")
    with pytest.raises(NotFound, match="nowhere"):
        await resume(database, "nowhere")
