"""Nothing of ours leaves anything behind in a session of the pooler's, which is another's next."""

import asyncio
import re
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path

import psycopg

from quoth.queue.job import Done, Held, Outcome
from quoth.storage import Database, Statement
from quoth.storage.addresses import Addresses
from quoth.storage.migrate import migrate
from tests.architecture.project import MIGRATIONS, PACKAGE, STATEMENTS
from tests.architecture.test_sql import bare
from tests.pooled.conftest import SESSIONS
from tests.queue.harness import kind_of, make_lane, new_job, nothing, put, until, working

# Prepared statements, session locks, channels and settings: what outlives a transaction.
LEFT = """
select pg_backend_pid(),
       (select count(*) from pg_prepared_statements),
       (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
       (select count(*) from pg_listening_channels()),
       (select count(*) from pg_settings where source = 'session' and name <> 'application_name')
"""
CLEAN = {(0, 0, 0, 0)}
DONE = Statement(b"select bool_and(state = 'done') from queue.job")

# What only ever goes over a direct way, by who sends it.
DIRECT_ONLY = {
    "queue/sql/lock_worker",  # the beat, where it has a witness
    "storage/sql/set_up_session",  # each connection of a pool that has sessions
    "storage/sql/try_migration_lock",
    "storage/sql/release_migration_lock",
}
KEEPS = re.compile(
    r"(?:\A|;)\s*(?:set|reset|prepare|deallocate|discard|listen|unlisten|load|declare)\b"
    r"(?!\s+local\b)"
    r"|\bpg_(?:try_)?advisory_(?:un)?lock\w*|\bset_config\s*\([^()]*\bfalse\s*\)"
    r"|\btemp(?:orary)?\s+table\b|\b(?:curr|last)val\s*\(|\bwith\s+hold\b"
)


async def left_behind(pooled: str) -> set[tuple[int, ...]]:
    """What is found in each of the pooler's sessions: all are asked for at the same time."""
    async with AsyncExitStack() as stack:
        rows = []
        for _ in range(SESSIONS):
            client = await psycopg.AsyncConnection.connect(pooled, prepare_threshold=None)
            await stack.enter_async_context(client)
            rows.append(await (await client.execute(LEFT)).fetchone())
        found = [row for row in rows if row]
        assert len({session for session, *_ in found}) == SESSIONS
        return {tuple(rest) for _, *rest in found}


async def work_beside_another(database: Database, addresses: Addresses) -> None:
    """Two clients take turns on fewer sessions than they have connections."""
    await make_lane(database, slots=20)

    async def work(held: Held) -> Outcome:
        await held.start(nothing, call=timedelta(seconds=5))
        await held.checkpoint(nothing)
        return Done(nothing)

    async def over() -> bool:
        async with database.autocommit() as tx:
            return bool((await tx.values(DONE))[0])

    await put(database, *(new_job(str(n)) for n in range(200)))
    async with (
        Database.open(addresses) as other,
        working(database, kind_of(work)),
        working(other, kind_of(work)),
    ):
        await until(over)


async def test_what_two_worked_through_the_pooler_left_its_sessions_as_they_were(
    database: Database, addresses: Addresses
) -> None:
    await work_beside_another(database, addresses)

    assert await left_behind(addresses.pooled) == CLEAN


async def test_naive_a_pooler_that_nobody_was_told_of_has_its_sessions_changed(
    addresses: Addresses,
) -> None:
    """Else the look would prove nothing."""
    async with Database.open(addresses.pooled, connections=1) as database:
        async with database.autocommit() as tx:
            await tx.values(DONE)
        left = await left_behind(addresses.pooled)

    assert left != CLEAN


async def test_migrations_pass_through_the_pooler_and_change_no_session(
    empty_addresses: Addresses,
) -> None:
    """Two at once, as when two processes start."""
    done = await asyncio.gather(migrate(empty_addresses), migrate(empty_addresses))

    applied = [name for one in done for name in one.applied]
    assert len(applied) == len(set(applied)) == len(MIGRATIONS)
    assert await left_behind(empty_addresses.pooled) == CLEAN


def test_no_statement_that_goes_through_a_pooler_keeps_anything_in_its_session() -> None:
    keeping = {path_of(file) for file in STATEMENTS if KEEPS.search(bare(file).lower())}

    assert keeping == DIRECT_ONLY


def path_of(file: Path) -> str:
    return file.relative_to(PACKAGE).with_suffix("").as_posix()
