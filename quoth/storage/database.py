"""The connection pool, transactions that return typed rows, and notices after the commit."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from functools import partial
from typing import Any, Self, TypeVar

from psycopg import AsyncConnection, InterfaceError, OperationalError
from psycopg.conninfo import make_conninfo
from psycopg.rows import class_row, tuple_row
from psycopg.types.json import JsonbDumper, set_json_dumps
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from quoth.loops import background
from quoth.storage.addresses import KEEPALIVE, Addresses
from quoth.storage.borrowed import borrowed
from quoth.storage.notices import Notices
from quoth.storage.statements import Statement, Statements

sql = Statements(__package__)

Row = TypeVar("Row")

OPEN_WITHIN = timedelta(seconds=30)
GIVE_UP_AFTER = timedelta(seconds=1)

set_json_dumps(partial(json.dumps, ensure_ascii=False, separators=(",", ":")))


class NotFound(LookupError):
    """A row that had to exist does not."""


class DatabaseUnavailable(Exception):
    """The server is away, restarting or refusing; the same call may succeed later."""


class Transaction:
    """Runs statements. Commits when its block ends, rolls back when the block raises."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._notices: list[tuple[str, str]] = []

    async def all(self, row: type[Row], statement: Statement, **values: object) -> list[Row]:
        """Run a statement; each row becomes a `row`, its columns by name."""
        async with self._connection.cursor(row_factory=class_row(row), binary=True) as cursor:
            await cursor.execute(statement, values)
            return await cursor.fetchall()

    async def one(self, row: type[Row], statement: Statement, **values: object) -> Row:
        """Run a statement that must find a row; raises `NotFound` where there is none."""
        rows = await self.all(row, statement, **values)
        if not rows:
            raise NotFound(row.__name__)
        return rows[0]

    async def maybe(self, row: type[Row], statement: Statement, **values: object) -> Row | None:
        """Run a statement that may find a row."""
        rows = await self.all(row, statement, **values)
        return rows[0] if rows else None

    async def values(self, statement: Statement, **values: object) -> list[Any]:
        """Run a statement of one column; return that column."""
        async with self._connection.cursor(row_factory=tuple_row, binary=True) as cursor:
            await cursor.execute(statement, values)
            return [row[0] for row in await cursor.fetchall()]

    async def run(self, statement: Statement, **values: object) -> int:
        """Run a statement for its effect; return how many rows it touched."""
        return (await self._connection.execute(statement, values)).rowcount

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """Undo only what the block did when it raises."""
        kept = len(self._notices)
        try:
            async with self._connection.transaction():
                yield
        except BaseException:
            del self._notices[kept:]
            raise

    def notify(self, channel: str, payload: str = "") -> None:
        """Tell every process, once this transaction has committed. Never inside it.

        A `pg_notify` inside the transaction would serialise all commits that notify.
        """
        self._notices.append((channel, payload))

    @property
    def notices(self) -> list[tuple[str, str]]:
        """What is to be told after the commit."""
        return self._notices


class Database:
    """The pool of connections of one process."""

    def __init__(self, pool: AsyncConnectionPool, notices: Notices, addresses: Addresses) -> None:
        self._pool = pool
        self.notices = notices
        self.addresses = addresses

    @classmethod
    @asynccontextmanager
    async def open(
        cls, addresses: Addresses | str, *, connections: int = 10
    ) -> AsyncIterator[Self]:
        """Connect; raises `DatabaseUnavailable` when no connection comes within 30 s."""
        if isinstance(addresses, str):
            addresses = Addresses.of(addresses)
        lost = asyncio.Event()
        pool = AsyncConnectionPool(
            make_conninfo(addresses.pooled, **KEEPALIVE),
            open=False,
            min_size=min(2, connections),
            max_size=connections,
            configure=partial(_configure, session=addresses.has_session),
            kwargs={"autocommit": True, **addresses.statement_options},
            reconnect_timeout=GIVE_UP_AFTER.total_seconds(),
            reconnect_failed=lambda _: lost.set(),
        )
        try:
            async with background(_bring_back(pool, lost)):
                await _open(pool)
                async with Notices.open(partial(_announce, pool)) as notices:
                    yield cls(pool, notices, addresses)
        finally:
            await pool.close()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """One transaction; what it notifies goes out after the commit."""
        with _unavailable():
            async with borrowed(self._pool) as connection, connection.transaction():
                tx = Transaction(connection)
                yield tx
        self._tell(tx)

    @asynccontextmanager
    async def autocommit(self) -> AsyncIterator[Transaction]:
        """A connection on which each statement is its own transaction: one round trip each."""
        with _unavailable():
            async with borrowed(self._pool) as connection:
                tx = Transaction(connection)
                yield tx
        self._tell(tx)

    def _tell(self, tx: Transaction) -> None:
        for channel, payload in tx.notices:
            self.notices.send(channel, payload)


async def _open(pool: AsyncConnectionPool) -> None:
    try:
        await pool.open(wait=True, timeout=OPEN_WITHIN.total_seconds())
    except PoolTimeout as error:
        raise DatabaseUnavailable(
            f"no connection to PostgreSQL within {OPEN_WITHIN.total_seconds():.0f} s: is it "
            "running, and is QUOTH_DATABASE_URL right?"
        ) from error


async def _bring_back(pool: AsyncConnectionPool, lost: asyncio.Event) -> None:
    """Ask for a connection each second once the pool has given up, until there is one.

    Left to itself it tries after 1, 2, 4, 8 ... seconds: the longer the outage, the later.
    """
    while True:
        await lost.wait()
        lost.clear()
        try:
            async with borrowed(pool, within=GIVE_UP_AFTER):
                pass
        except (OperationalError, InterfaceError, PoolTimeout):
            lost.set()


async def _configure(connection: AsyncConnection, *, session: bool) -> None:
    connection.adapters.register_dumper(dict, JsonbDumper)
    if session:
        await connection.execute(sql.set_up_session)


async def _announce(pool: AsyncConnectionPool, notices: list[tuple[str, str]]) -> None:
    channels, payloads = zip(*notices, strict=True)
    with _unavailable():
        async with borrowed(pool) as connection:
            await connection.execute(
                sql.announce, {"channels": list(channels), "payloads": list(payloads)}
            )


@contextmanager
def _unavailable() -> Iterator[None]:
    """Translate what the driver says of an absent server; a wrong statement stays what it is."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout, PoolClosed) as error:
        raise DatabaseUnavailable(str(error).strip()) from error
