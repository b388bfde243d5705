"""Migrations run once and in order, whoever starts at once; what does not fit is refused."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import psycopg
import pytest

from quoth.storage import Database, DatabaseUnavailable
from quoth.storage import migrate as migrate_module
from quoth.storage.addresses import Addresses
from quoth.storage.dump import restore
from quoth.storage.migrate import database_status, migrate
from quoth.storage.migration import (
    DatabaseTooNew,
    HistoryDiffers,
    Migration,
    MigrationBlocked,
    MigrationFailed,
    load_migrations,
    parse_migration,
)

KNOWN = load_migrations()
NEWEST = KNOWN[-1].version

Reach = Callable[[str], Addresses]
DIRECTLY: Reach = Addresses.of


def through_a_pooler(url: str) -> Addresses:
    return Addresses(pooled=url, direct=None)


def one_more(statement: str, *, compatible_from: int = NEWEST) -> Migration:
    return parse_migration(
        f"{NEWEST + 1:04}_more.sql",
        f"-- compatible-from: {compatible_from}\nset lock_timeout = '50ms';\n{statement};\n",
    )


def ask(url: str, question: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(question.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_migrated_database_has_nothing_pending(database: Database) -> None:
    status = await database_status(database.addresses)

    assert (status.version, status.known) == (NEWEST, NEWEST)
    assert status.pending == ()
    assert status.server.startswith("18.")


async def test_an_empty_database_has_everything_pending(empty_database_url: str) -> None:
    status = await database_status(empty_database_url)

    assert status.version is None
    assert status.pending == tuple(str(migration) for migration in KNOWN)


@pytest.mark.parametrize("reach", [DIRECTLY, through_a_pooler])
async def test_migrating_twice_changes_nothing(empty_database_url: str, reach: Reach) -> None:
    first = await migrate(reach(empty_database_url))
    second = await migrate(reach(empty_database_url))

    assert first.applied == tuple(str(migration) for migration in KNOWN)
    assert second.applied == ()


@pytest.mark.parametrize(
    "ways",
    [[DIRECTLY] * 6, [through_a_pooler] * 6, [DIRECTLY, through_a_pooler] * 3],
    ids=["directly", "through a pooler", "both"],
)
async def test_many_that_start_at_once_migrate_once(
    empty_database_url: str, ways: list[Reach]
) -> None:
    done = await asyncio.gather(*(migrate(reach(empty_database_url)) for reach in ways))

    applied = [name for one in done for name in one.applied]
    assert sorted(applied) == [str(migration) for migration in KNOWN]
    assert ask(empty_database_url, "select count(*) from storage.migration") == len(KNOWN)


async def test_code_that_is_older_but_compatible_runs(database_url: str) -> None:
    await migrate(database_url, known=[*KNOWN, one_more("create table storage.more ()")])

    by_older = await migrate(database_url)

    assert by_older.applied == ()
    assert ask(database_url, "select version from storage.schema_version") == NEWEST + 1


async def test_code_that_is_too_old_is_refused_in_one_sentence(database_url: str) -> None:
    contracting = one_more("drop table brands.competitor", compatible_from=NEWEST + 1)
    await migrate(database_url, known=[*KNOWN, contracting])

    with pytest.raises(DatabaseTooNew) as refused:
        await migrate(database_url)
    with pytest.raises(DatabaseTooNew):
        await database_status(database_url)

    assert "\n" not in refused.value.message
    assert "upgrade Quoth" in refused.value.message


async def test_a_migration_that_was_edited_afterwards_is_refused(database_url: str) -> None:
    edited = replace(KNOWN[1], text=KNOWN[1].text + "-- better\n")

    with pytest.raises(HistoryDiffers, match=str(KNOWN[1])):
        await migrate(database_url, known=[KNOWN[0], edited, *KNOWN[2:]])


async def test_a_migration_that_comes_too_late_is_refused(empty_database_url: str) -> None:
    with_a_gap = [*KNOWN[:2], *KNOWN[3:]]
    await migrate(empty_database_url, known=[*KNOWN[:2], one_more("select 1")])

    with pytest.raises(HistoryDiffers):
        await migrate(empty_database_url, known=[*KNOWN, one_more("select 1")])
    with pytest.raises(HistoryDiffers):
        await migrate(empty_database_url, known=with_a_gap)


async def test_a_migration_that_fails_leaves_nothing(database_url: str) -> None:
    bad = one_more("create table storage.half (); select 1 / 0")

    with pytest.raises(MigrationFailed, match="division by zero"):
        await migrate(database_url, known=[*KNOWN, bad])

    assert ask(database_url, "select to_regclass('storage.half')") is None
    assert ask(database_url, "select max(version) from storage.migration") == NEWEST


async def test_a_migration_steps_aside_for_those_who_hold_its_tables(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate_module, "STEP_ASIDE", timedelta(milliseconds=50))
    widening = [*KNOWN, one_more("alter table brands.brand add column more text")]
    async with await psycopg.AsyncConnection.connect(database_url) as busy:
        await busy.execute("select from brands.brand")

        with pytest.raises(MigrationBlocked):
            await migrate(database_url, known=widening, tries=2)
        patient = asyncio.create_task(migrate(database_url, known=widening, tries=100))
        await asyncio.sleep(0.2)
        # Those who come while it waits are not held up for longer than its own short wait.
        async with asyncio.timeout(2):
            async with await psycopg.AsyncConnection.connect(database_url) as other:
                await other.execute("select from brands.brand")
        await busy.rollback()

        assert (await patient).applied == (str(widening[-1]),)


async def test_a_server_that_is_not_there_is_called_unavailable() -> None:
    with pytest.raises(DatabaseUnavailable):
        await migrate("postgresql://quoth@/quoth?host=/nowhere")


async def test_an_empty_database_is_not_dumped(empty_database_url: str, tmp_path: Path) -> None:
    done = await migrate(empty_database_url, backups=tmp_path)

    assert done.backup is None
    assert names_in(tmp_path) == []


async def test_a_database_is_dumped_before_it_is_migrated(
    database_url: str, tmp_path: Path
) -> None:
    ask(database_url, "insert into accounts.workspace (name) values ('before')")
    harmful = [*KNOWN, one_more("drop schema accounts cascade")]

    done = await migrate(database_url, backups=tmp_path, known=harmful)
    assert done.backup is not None
    await restore(database_url, done.backup)

    assert ask(database_url, "select count(*) from accounts.workspace where name = 'before'") == 1
    assert (await database_status(database_url)).version == NEWEST


async def test_only_the_last_few_dumps_are_kept(database_url: str, tmp_path: Path) -> None:
    old = [tmp_path / f"2026-01-0{day}T000000Z-schema-0001.dump" for day in range(1, 8)]
    for path in (*old, tmp_path / "mine.dump"):
        path.touch()

    done = await migrate(database_url, backups=tmp_path, known=[*KNOWN, one_more("select 1")])

    assert done.backup is not None
    assert names_in(tmp_path) == [*(path.name for path in old[-4:]), done.backup.name, "mine.dump"]


async def test_a_database_that_cannot_be_dumped_is_not_migrated(
    database_url: str, tmp_path: Path
) -> None:
    in_the_way = tmp_path / "backups"
    in_the_way.touch()

    with pytest.raises(Exception, match="is not a directory"):
        await migrate(
            database_url, backups=in_the_way, known=[*KNOWN, one_more("create table storage.x ()")]
        )

    assert ask(database_url, "select to_regclass('storage.x')") is None


@pytest.mark.parametrize("migration", KNOWN, ids=str)
def test_each_migration_keeps_the_rules(migration: Migration) -> None:
    lines = migration.text.splitlines()

    assert re.fullmatch(r"set lock_timeout = '\d+m?s';", lines[1])
    assert 0 <= migration.compatible_from <= migration.version
    assert not re.search(
        r"^\s*(begin|commit|rollback|start transaction)\b|\bconcurrently\b",
        migration.text,
        re.IGNORECASE | re.MULTILINE,
    )


def test_migrations_are_numbered_without_gaps() -> None:
    assert all(after.version - before.version == 1 for before, after in pairwise(KNOWN))


def test_the_checksum_does_not_depend_on_how_lines_end() -> None:
    text = "-- compatible-from: 1\nselect 1;\n"

    unix = parse_migration("0001_x.sql", text)
    windows = parse_migration("0001_x.sql", text.replace("\n", "\r\n"))

    assert unix.checksum == windows.checksum


@pytest.mark.parametrize("name", ["1_x.sql", "0001-x.sql", "0001_x.txt"])
def test_a_file_with_another_name_is_no_migration(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(name)):
        parse_migration(name, "-- compatible-from: 1\n")


def test_a_file_without_its_first_line_is_no_migration() -> None:
    with pytest.raises(ValueError, match="no migration"):
        parse_migration("0001_x.sql", "select 1;\n")
