"""A million finished jobs, and what is looked at all the time costs what it cost without them."""

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.architecture.project import PACKAGE
from tests.architecture.test_sql import prepared

# What runs at every claim, call, end and tick of any worker.
HOT = (
    "beat", "cancelled_jobs", "change_jobs", "checkpoint_job", "claim_jobs", "enqueue_jobs",
    "expire_jobs", "find_suspect", "hold_job", "promote_jobs", "prune_flows", "prune_jobs",
    "reap_jobs", "start_job",
)  # fmt: skip
FILL = """
insert into queue.job (kind, lane, flow, key, payload, state, turn, max_tries, deadline, expires_at,
                       due_at, ended_at)
select 'capture.ask', 'a', 'check:' || n / 100, %(state)s || n, '{}', %(state)s, n, 4, '1 min',
       now() + interval '1 day', now() + interval '1 h', case when %(state)s = 'done' then now() end
  from generate_series(1, %(rows)s) as n
"""
SEQUENTIAL = re.compile(r"Seq Scan on job\b")


@pytest.fixture(scope="module")
def filled(server: str) -> Iterator[psycopg.Connection]:
    """Many finished jobs, some that wait and some that are pending, and statistics of them."""
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute("create database filled template template")
    url = psycopg.conninfo.make_conninfo(server, dbname="filled")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("insert into queue.lane (name, slots) values ('a', 100)")
        connection.execute(
            "insert into queue.slot (lane, number) select 'a', generate_series(0, 99)"
        )
        for state, rows in (("done", 200_000), ("pending", 20_000), ("waiting", 20_000)):
            connection.execute(FILL, {"state": state, "rows": rows})
        connection.execute("vacuum analyze")
        yield connection
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute("drop database filled")


def plan(connection: psycopg.Connection, file: Path) -> str:
    """The plan that is kept for any values: the one a worker ends up with."""
    rows = connection.execute(f"explain (generic_plan) {prepared(file)}".encode())
    return "\n".join(line for (line,) in rows)


@pytest.mark.parametrize("statement", HOT)
def test_15_no_hot_statement_reads_the_whole_table(
    filled: psycopg.Connection, statement: str
) -> None:
    """Naive: counting or looking for jobs by what no index has."""
    found = plan(filled, PACKAGE / "queue" / "sql" / f"{statement}.sql")

    assert SEQUENTIAL.findall(found) == [], found


@pytest.mark.parametrize(
    "statement", sorted(file.stem for file in (PACKAGE / "queue" / "desk" / "sql").glob("*.sql"))
)
def test_15_a_look_at_the_queue_does_not_read_the_whole_table(
    filled: psycopg.Connection, statement: str
) -> None:
    found = plan(filled, PACKAGE / "queue" / "desk" / "sql" / f"{statement}.sql")

    assert SEQUENTIAL.findall(found) == [], found


@pytest.mark.parametrize("statement", ["count_captures", "load_captures"])
def test_15_the_progress_of_a_check_reads_its_own_jobs(
    filled: psycopg.Connection, statement: str
) -> None:
    found = plan(filled, PACKAGE / "capture" / "views" / "sql" / f"{statement}.sql")

    assert SEQUENTIAL.findall(found) == [], found


def test_15_naive_a_count_of_the_jobs_reads_them_all(filled: psycopg.Connection) -> None:
    rows = filled.execute("explain select count(*) from queue.job where flow = 'check:1'")

    assert SEQUENTIAL.search("\n".join(line for (line,) in rows))
