"""Typed rows, transactions that hold or vanish, and a server that goes away and comes back."""

import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from quoth.storage import Database, DatabaseUnavailable, NotFound, Statement, Transaction
from quoth.storage import database as database_module
from quoth.storage.addresses import Addresses
from quoth.storage.embedded.postmaster import find_postmaster
from quoth.storage.embedded.server import EmbeddedServer
from quoth.storage.session import Session

CREATE = Statement(b"create table note (id integer primary key, text text not null)")
INSERT = Statement(b"insert into note values (%(id)s, %(text)s)")
SELECT = Statement(b"select id, text from note order by id")
FIND = Statement(b"select id, text from note where id = %(id)s")
COUNT = Statement(b"select count(*) from note")
ONE = Statement(b"select 1")
WRONG = Statement(b"select nonsense")
TERMINATE_ALL = Statement(
    b"select pg_terminate_backend(pid) from pg_stat_activity"
    b" where datname = current_database() and pid <> pg_backend_pid()"
)
PREPARED = Statement(b"select count(*) from pg_prepared_statements")


@dataclass(frozen=True, slots=True)
class Note:
    id: int
    text: str


@pytest.fixture
async def notes(database: Database) -> Database:
    """A database with a table of notes."""
    async with database.transaction() as tx:
        await tx.run(CREATE)
    return database


async def insert_and_fail(tx: Transaction) -> None:
    async with tx.savepoint():
        await tx.run(INSERT, id=2, text="two")
        raise ZeroDivisionError


async def test_rows_come_typed(notes: Database) -> None:
    async with notes.transaction() as tx:
        touched = await tx.run(INSERT, id=1, text="один")

        assert touched == 1
        assert await tx.all(Note, SELECT) == [Note(1, "один")]
        assert await tx.one(Note, FIND, id=1) == Note(1, "один")
        assert await tx.maybe(Note, FIND, id=2) is None
        assert await tx.values(COUNT) == [1]
        with pytest.raises(NotFound):
            await tx.one(Note, FIND, id=2)


async def test_a_savepoint_that_fails_takes_its_rows_with_it(notes: Database) -> None:
    async with notes.transaction() as tx:
        await tx.run(INSERT, id=1, text="one")
        with pytest.raises(ZeroDivisionError):
            await insert_and_fail(tx)

    async with notes.transaction() as tx:
        assert await tx.all(Note, SELECT) == [Note(1, "one")]


async def test_autocommit_keeps_each_statement(notes: Database) -> None:
    async def insert_one_and_fail() -> None:
        async with notes.autocommit() as tx:
            await tx.run(INSERT, id=1, text="one")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await insert_one_and_fail()

    async with notes.transaction() as tx:
        assert await tx.values(COUNT) == [1]


async def test_a_wrong_statement_stays_what_it_is(database: Database) -> None:
    async def ask() -> None:
        async with database.transaction() as tx:
            await tx.run(WRONG)

    with pytest.raises(psycopg.errors.UndefinedColumn):
        await ask()


async def test_a_connection_cut_in_mid_transaction_is_called_unavailable(
    database: Database, database_url: str
) -> None:
    async def ask() -> None:
        async with database.transaction() as tx:
            await tx.run(ONE)
            async with await psycopg.AsyncConnection.connect(
                database_url, autocommit=True
            ) as other:
                await other.execute(TERMINATE_ALL)
            await tx.run(ONE)

    with pytest.raises(DatabaseUnavailable):
        await ask()
    # The other sessions end a moment after the server has said yes.
    await asyncio.sleep(0.5)
    async with database.transaction() as tx:
        assert await tx.values(ONE) == [1]


async def test_connections_cut_between_transactions_are_not_noticed(
    database: Database, database_url: str
) -> None:
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as other:
        await other.execute(TERMINATE_ALL)
    # The server has said yes; the sessions end a moment later.
    await asyncio.sleep(0.5)

    async with database.transaction() as tx:
        assert await tx.values(ONE) == [1]


async def test_through_a_pooler_nothing_is_prepared(database_url: str) -> None:
    async with (
        Database.open(Addresses(pooled=database_url, direct=None), connections=1) as database,
        database.autocommit() as tx,
    ):
        for _ in range(10):
            await tx.values(ONE)

        assert await tx.values(PREPARED) == [0]


async def test_a_session_is_unavailable_when_it_is_cut(
    database: Database, database_url: str
) -> None:
    def ask() -> None:
        with Session.open(database.addresses) as session:
            session.run(ONE)
            with psycopg.connect(database_url, autocommit=True) as other:
                other.execute(TERMINATE_ALL)
            session.run(ONE)

    with pytest.raises(DatabaseUnavailable):
        await asyncio.to_thread(ask)


@pytest.fixture
def own_server() -> Iterator[EmbeddedServer]:
    """A server that may be killed."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-"))
    folder.chmod(0o755)
    running = EmbeddedServer(folder / "data")
    running.start()
    yield running
    running.leave()
    shutil.rmtree(folder)


def kill(running: EmbeddedServer) -> None:
    postmaster = find_postmaster(running.layout)
    assert postmaster is not None
    os.kill(postmaster.pid, signal.SIGKILL)


async def use(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.run(ONE)


@pytest.mark.slow
@pytest.mark.parametrize("outage", [1, 18])
async def test_the_pool_is_back_soon_after_the_server_is(
    own_server: EmbeddedServer, outage: int
) -> None:
    async with Database.open(own_server.url) as database:
        await use(database)
        kill(own_server)
        asked = [asyncio.create_task(use(database)) for _ in range(20)]
        await asyncio.sleep(outage)
        await asyncio.to_thread(own_server.start)
        back = time.monotonic()

        await asyncio.gather(*asked, return_exceptions=True)
        await use(database)

        assert time.monotonic() - back < 4


async def test_the_end_does_not_wait_for_a_server_that_is_away(
    own_server: EmbeddedServer,
) -> None:
    async with Database.open(own_server.url) as database:
        await use(database)
        kill(own_server)
        database.notices.send("x", "1")
        began = time.monotonic()

    assert time.monotonic() - began < 5


async def test_a_wrong_address_is_told_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "OPEN_WITHIN", timedelta(seconds=1))

    with pytest.raises(DatabaseUnavailable, match="QUOTH_DATABASE_URL"):
        async with Database.open("postgresql://quoth@/quoth?host=/nowhere"):
            pass


async def test_a_task_that_is_cancelled_as_its_turn_comes_is_cancelled(database_url: str) -> None:
    """Naive: the pool's own line, in which a connection handed over just then wins."""
    async with Database.open(database_url, connections=1) as database:
        went_on = 0

        async def work() -> None:
            nonlocal went_on
            async with database.autocommit():
                went_on += 1

        for _ in range(20):
            async with database.autocommit():
                waiting = asyncio.create_task(work())
                await asyncio.sleep(0.01)
            waiting.cancel()
            await asyncio.wait({waiting})

    assert went_on == 0


async def test_broken_connections_cost_nothing_while_sound_ones_can_be_had(
    database_url: str,
) -> None:
    """Naive: the pool's own check, which waits 1, 2, 4, 8 ... s after each broken one it meets."""
    async with Database.open(database_url, connections=8) as database:

        async def hold() -> None:
            async with database.autocommit() as tx:
                await tx.run(Statement(b"select pg_sleep(0.2)"))

        await asyncio.gather(*(hold() for _ in range(6)))
        with psycopg.connect(database_url, autocommit=True) as other:
            other.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        await asyncio.sleep(0.2)
        began = time.monotonic()
        await use(database)

        assert time.monotonic() - began < 1
