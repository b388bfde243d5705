"""Bring the schema to what this code knows, once, whoever else tries at the same moment."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
from psycopg import AsyncConnection, OperationalError
from psycopg.errors import DeadlockDetected, LockNotAvailable
from psycopg.rows import class_row, scalar_row

from quoth.observability.events import emit
from quoth.storage.addresses import Addresses
from quoth.storage.database import DatabaseUnavailable
from quoth.storage.dump import dump, prune_dumps
from quoth.storage.migration import (
    Applied,
    Migration,
    MigrationBlocked,
    MigrationFailed,
    load_migrations,
    pending_of,
)
from quoth.storage.statements import Statements

sql = Statements(__package__)

# Any number, the same for all who migrate.
LOCK_KEY = 0x51_75_6F_74_68
OLDEST_SERVER = 15
TELL_EVERY = timedelta(seconds=2)
LOOK_EVERY = timedelta(milliseconds=100)
# A migration waits 5 s for its locks (each says so itself) and steps aside for this long.
STEP_ASIDE = timedelta(seconds=1)
TRIES = 10


@dataclass(frozen=True, slots=True)
class DatabaseStatus:
    """The server, and what the schema is beside what this code knows."""

    server: str
    version: int | None
    compatible_from: int | None
    known: int
    pending: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Migrated:
    """What was done: the migrations applied, and the dump made before them."""

    applied: tuple[str, ...]
    backup: Path | None


async def migrate(
    addresses: Addresses | str,
    *,
    backups: Path | None = None,
    known: Sequence[Migration] | None = None,
    tries: int = TRIES,
) -> Migrated:
    """Apply what is pending, each in its own transaction.

    With `backups`, a database that is not empty is dumped there first. Raises `SchemaError` or
    `DatabaseUnavailable`. An older code that is still compatible changes nothing.
    """
    addresses = Addresses.of(addresses) if isinstance(addresses, str) else addresses
    known = known or load_migrations()
    async with _connected(addresses) as connection, _turn(connection, addresses):
        applied = await _applied(connection)
        pending = pending_of(known, applied)
        backup = None
        if pending and applied and backups is not None:
            backup = await _back_up(addresses, backups, applied[-1].version)
        done = [
            str(migration)
            for migration in pending
            if await _apply_patiently(connection, migration, tries)
        ]
    return Migrated(tuple(done), backup)


async def database_status(addresses: Addresses | str) -> DatabaseStatus:
    """Look, and change nothing. Raises as `migrate` does."""
    addresses = Addresses.of(addresses) if isinstance(addresses, str) else addresses
    known = load_migrations()
    async with _connected(addresses) as connection:
        applied = await _applied(connection)
        server = connection.info.parameter_status("server_version") or "unknown"
    return DatabaseStatus(
        server=server,
        version=applied[-1].version if applied else None,
        compatible_from=max((one.compatible_from for one in applied), default=None),
        known=known[-1].version,
        pending=tuple(str(migration) for migration in pending_of(known, applied)),
    )


@asynccontextmanager
async def _connected(addresses: Addresses) -> AsyncIterator[AsyncConnection]:
    try:
        async with await AsyncConnection.connect(
            addresses.session, autocommit=True, prepare_threshold=None
        ) as connection:
            if connection.info.server_version < OLDEST_SERVER * 10_000:
                raise MigrationFailed(
                    f"PostgreSQL {connection.info.server_version // 10_000} is too old: Quoth "
                    f"needs {OLDEST_SERVER} or later"
                )
            yield connection
    except OperationalError as error:
        raise DatabaseUnavailable(str(error).strip()) from error


@asynccontextmanager
async def _turn(connection: AsyncConnection, addresses: Addresses) -> AsyncIterator[None]:
    """Wait until nobody else migrates. Through a pooler each migration takes its turn alone."""
    if addresses.direct is None:
        yield
        return
    await _wait_for_turn(connection)
    try:
        yield
    finally:
        if not connection.broken:
            await connection.execute(sql.release_migration_lock, {"key": LOCK_KEY})


async def _wait_for_turn(connection: AsyncConnection) -> None:
    loop = asyncio.get_running_loop()
    began = told = loop.time()
    while not await _value(connection, sql.try_migration_lock, key=LOCK_KEY):
        await asyncio.sleep(LOOK_EVERY.total_seconds())
        if loop.time() - told > TELL_EVERY.total_seconds():
            told = loop.time()
            emit("migration.waiting", waited=timedelta(seconds=told - began))


async def _applied(connection: AsyncConnection) -> list[Applied]:
    if not await _value(connection, sql.has_migrations):
        return []
    async with connection.cursor(row_factory=class_row(Applied)) as cursor:
        await cursor.execute(sql.load_migrations)
        return await cursor.fetchall()


async def _value(connection: AsyncConnection, statement: bytes, **values: object) -> object:
    async with connection.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute(statement, values)
        return await cursor.fetchone()


async def _back_up(addresses: Addresses, backups: Path, version: int) -> Path:
    now = datetime.now(UTC)
    path = backups / f"{now:%Y-%m-%dT%H%M%SZ}-schema-{version:04}.dump"
    await dump(addresses.session, path)
    prune_dumps(backups)
    emit("database.dumped", path=path)
    return path


async def _apply_patiently(connection: AsyncConnection, migration: Migration, tries: int) -> bool:
    """Apply one, stepping aside while others hold its locks; say if it was ours to apply."""
    for left in reversed(range(tries)):
        try:
            return await _apply(connection, migration)
        except (LockNotAvailable, DeadlockDetected) as error:
            if not left:
                raise MigrationBlocked(
                    f"migration {migration} found its tables locked {tries} times: end the long "
                    "transactions on the database, then start again"
                ) from error
            emit("migration.blocked", migration=str(migration), tries_left=left)
            await asyncio.sleep(STEP_ASIDE.total_seconds())
        except OperationalError:
            raise
        except psycopg.Error as error:
            raise MigrationFailed(
                f"migration {migration} was refused: {error.diag.message_primary or error}"
            ) from error
    return False


async def _apply(connection: AsyncConnection, migration: Migration) -> bool:
    async with connection.transaction():
        await connection.execute(sql.take_migration_lock, {"key": LOCK_KEY})
        if migration.version in {one.version for one in await _applied(connection)}:
            return False
        await connection.execute("set local statement_timeout = 0")
        await connection.execute(migration.text.encode())
        # What the file set must not stay with a connection that a pooler hands on.
        await connection.execute("reset lock_timeout")
        await connection.execute(
            sql.record_migration,
            {
                "version": migration.version,
                "name": migration.name,
                "checksum": migration.checksum,
                "compatible_from": migration.compatible_from,
            },
        )
    emit("migration.applied", migration=str(migration))
    return True
