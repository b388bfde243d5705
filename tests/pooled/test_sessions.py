"""Nothing of ours leaves anything behind in a session of the pooler's."""

from datetime import timedelta

import psycopg

from quoth.queue.job import Done, Held, Outcome
from quoth.storage import Database, Statement
from tests.queue.harness import kind_of, make_lane, new_job, nothing, put, until, working

LEFT = """
select (select count(*) from pg_prepared_statements),
       (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
       (select count(*) from pg_listening_channels()),
       (select count(*) from pg_settings where source = 'session' and name <> 'application_name')
"""
DONE = Statement(b"select bool_and(state = 'done') from queue.job")


async def test_what_was_worked_through_the_pooler_left_its_sessions_as_they_were(
    database: Database,
) -> None:
    """Prepared statements, session locks, LISTEN and SET would be the next client's."""
    await make_lane(database, slots=20)

    async def work(held: Held) -> Outcome:
        await held.start(nothing, call=timedelta(seconds=5))
        return Done(nothing)

    async def over() -> bool:
        async with database.autocommit() as tx:
            return bool((await tx.values(DONE))[0])

    await put(database, *(new_job(str(n)) for n in range(100)))
    async with working(database, kind_of(work)):
        await until(over)

    left = set()
    with psycopg.connect(database.addresses.pooled, prepare_threshold=None) as connection:
        for _ in range(20):
            left.add(connection.execute(LEFT).fetchone())
            connection.commit()
    assert left == {(0, 0, 0, 0)}
