"""The database is away, is locked, or loses its listeners: nothing is lost, doubled or judged."""

import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from quoth.queue.job import Done, Held, Outcome
from quoth.queue.worker import Pace
from quoth.storage import Database, Statement, Transaction
from quoth.storage.embedded import Options
from quoth.storage.embedded.postmaster import find_postmaster
from quoth.storage.embedded.server import EmbeddedServer
from quoth.storage.migrate import migrate
from tests.queue.harness import (
    MINUTE,
    kind_of,
    make_lane,
    new_job,
    nothing,
    put,
    until,
    working,
)
from tests.queue.processes import job_that, worker_processes

LEFT = Statement(b"select count(*) from queue.job where state <> 'done'")
BLAMED = Statement(b"select count(*) from queue.job where crashes > 0 or tries > 1")


async def all_done(database: Database) -> bool:
    async with database.autocommit() as tx:
        return await tx.values(LEFT) == [0]


@pytest.fixture
def own_server() -> Iterator[EmbeddedServer]:
    """A server that the test may kill."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-"))
    folder.chmod(0o755)
    server = EmbeddedServer(folder / "data", Options(connections=100))
    try:
        server.start()
        yield server
    finally:
        server.leave()
        shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize("away", [0, 10])
async def test_21_a_crash_of_the_server_is_no_death_of_a_worker(
    own_server: EmbeddedServer, away: int
) -> None:
    """Twenty calls out in two processes; the server is killed, and back at once or after 10 s.

    Naive: session locks as ownership (the server has forgotten them), or judging others' beats the
    moment one is connected again.
    """
    await migrate(own_server.url)
    async with Database.open(own_server.url) as database:
        await make_lane(database, slots=20)
        await put(database, *(job_that("sleep", str(n), seconds=14) for n in range(20)))
    async with worker_processes(own_server.url) as workers:
        await workers.start(pool=10)
        await workers.start(pool=10)
        for n in range(20):
            await asyncio.wait(
                [asyncio.create_task(each.begun(str(n))) for each in workers.all],
                return_when=asyncio.FIRST_COMPLETED,
            )
        postmaster = find_postmaster(own_server.layout)
        assert postmaster is not None
        os.kill(postmaster.pid, signal.SIGKILL)
        await asyncio.sleep(away)
        await asyncio.to_thread(own_server.start)
        async with Database.open(own_server.url) as database:
            await until(lambda: all_done(database), within=MINUTE)
            async with database.autocommit() as tx:
                blamed = await tx.values(BLAMED)
        starts = [len(workers.starts_of(str(n))) for n in range(20)]

    assert blamed == [0]
    assert starts == [1] * 20


async def test_28_ends_that_cannot_be_committed_wait_and_are_committed_once(
    database: Database, database_url: str
) -> None:
    """Naive: the committer gives up after a time-out, and jobs are `running` for ever or again."""
    await make_lane(database, slots=50)
    saved: list[str] = []
    worked: list[str] = []

    async def work(held: Held) -> Outcome:
        key = str(held.job.payload["key"])
        worked.append(key)

        async def save(tx: Transaction) -> None:
            saved.append(key)

        await asyncio.sleep(0.2)
        return Done(save)

    async with (
        working(database, kind_of(work), pace=Pace(pool=20)),
        Database.open(database_url, connections=1) as other,
    ):
        await put(database, *(new_job(str(n)) for n in range(60)))
        await asyncio.sleep(0.1)
        async with other.transaction() as tx:
            await tx.run(Statement(b"lock table queue.job in share row exclusive mode"))
            await asyncio.sleep(4)
        held_back = len(saved)
        await until(lambda: all_done(database), within=timedelta(seconds=20))

    assert held_back < 60
    assert sorted(worked) == sorted(saved) == sorted(str(n) for n in range(60))


async def test_11_without_its_listener_a_worker_still_sees_new_jobs_within_two_seconds(
    database: Database, database_url: str
) -> None:
    """Naive: NOTIFY alone. The listener's server process is ended, then another's is frozen."""
    await make_lane(database)
    listeners = Statement(
        b"select pid from pg_stat_activity where query ilike 'listen%%'"
        b" and datname = current_database()"
    )
    async with worker_processes(database_url) as workers:
        worker = await workers.start()
        await put(database, job_that("return", "first"))
        await worker.begun("first")

        async with database.autocommit() as tx:
            for pid in await tx.values(listeners):
                await tx.run(Statement(b"select pg_terminate_backend(%(pid)s)"), pid=pid)
        began = time.time()
        await put(database, job_that("return", "second"))
        second = await worker.begun("second")

        await asyncio.sleep(2)
        async with database.autocommit() as tx:
            pids = await tx.values(listeners)
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            frozen = time.time()
            await put(database, job_that("return", "third"))
            third = await worker.begun("third")
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    assert pids
    assert second.at - began < 2
    assert third.at - frozen < 2


async def test_12_a_listener_holds_no_transaction_open(
    database: Database, database_url: str
) -> None:
    """Naive: a listener in a transaction: nothing is vacuumed, and the notices' queue fills up."""
    await make_lane(database)
    async with worker_processes(database_url) as workers:
        worker = await workers.start()
        await put(database, job_that("return", "a"))
        await worker.begun("a")
        await asyncio.sleep(0.5)
        async with database.autocommit() as tx:
            held = await tx.values(
                Statement(
                    b"select count(*) from pg_stat_activity where datname = current_database()"
                    b" and pid <> pg_backend_pid() and (backend_xmin is not null"
                    b" or backend_xid is not null or state like 'idle in transaction%%')"
                )
            )

    assert held == [0]


async def test_22_one_poisoned_row_fails_and_its_batch_does_not(database: Database) -> None:
    """Naive: a row that cannot be dispatched takes the rest of its batch along."""
    await make_lane(database, slots=50)

    async def work(held: Held) -> Outcome:
        if held.job.payload["key"] == "7":
            raise TypeError("not a payload")
        return Done(nothing)

    ids = await put(database, *(new_job(str(n), max_tries=1) for n in range(50)))

    async def over() -> bool:
        async with database.autocommit() as tx:
            ended = Statement(b"select count(*) from queue.job where ended_at is not null")
            return await tx.values(ended) == [50]

    async with working(database, kind_of(work), pace=Pace(pool=50)):
        await until(over)
    async with database.autocommit() as tx:
        states = await tx.values(Statement(b"select state from queue.job order by state"))

    assert states == ["done"] * 49 + ["failed"]
    assert len(ids) == 50


async def test_23_a_drain_without_grace_gives_everything_back_at_once(database: Database) -> None:
    """Naive: what is cancelled at SIGTERM stays taken, and fills its limit for ever."""
    await make_lane(database, slots=20)
    running = 0

    async def work(held: Held) -> Outcome:
        nonlocal running
        await held.start(nothing, call=MINUTE)
        running += 1
        await asyncio.Event().wait()
        return Done(nothing)

    await put(database, *(new_job(str(n)) for n in range(20)))

    async def all_run() -> bool:
        return running == 20

    async with working(database, kind_of(work), pace=Pace(pool=20, drain=timedelta(0))):
        await until(all_run)
        began = time.monotonic()
    took = time.monotonic() - began

    async with database.autocommit() as tx:
        rows = await tx.values(
            Statement(b"select state || tries from queue.job where slot is null and worker is null")
        )
        taken = await tx.values(Statement(b"select count(*) from queue.slot where job_id > 0"))
    assert rows == ["pending0"] * 20
    assert taken == [0]
    assert took < 1
