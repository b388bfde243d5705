"""Everything runs on the oldest PostgreSQL that we support, where its programs are installed."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import psycopg
import pytest

from quoth.storage import Database, Statement
from quoth.storage.embedded.account import account_for
from quoth.storage.migrate import OLDEST_SERVER, database_status, migrate

PROGRAMS = Path(f"/usr/lib/postgresql/{OLDEST_SERVER}/bin")
STATEMENTS = sorted(
    (room.name, file.name, file.read_text("utf-8"))
    for room in files("quoth").iterdir()
    if (room / "sql").is_dir()
    for file in (room / "sql").iterdir()
    if file.name.endswith(".sql")
)
PASSWORD = "for a test"
ADD = Statement(b"insert into accounts.workspace (name) values (%(name)s)")
NAMES = Statement(b"select name from accounts.workspace order by id")


@pytest.fixture(scope="module")
def oldest_server() -> Iterator[str]:
    """The address of an empty PostgreSQL of the oldest kind."""
    if not (PROGRAMS / "postgres").exists():
        pytest.skip(f"PostgreSQL {OLDEST_SERVER} is not installed")
    folder = Path(tempfile.mkdtemp(prefix="quoth-"))
    folder.chmod(0o777)
    account = account_for()
    cluster = folder / "cluster"
    made = account.shell(
        'printf %s "$3" >"$2/password" && "$1/initdb" -D "$2/cluster" -U quoth -E UTF8 --locale=C'
        ' --no-sync --auth=scram-sha-256 --pwfile="$2/password"',
        PROGRAMS,
        folder,
        PASSWORD,
    )
    assert made.returncode == 0, made.stderr
    started = account.shell(
        '"$1/pg_ctl" -D "$2" -w -l "$2/log" -o "-F -h \'\' -k $3" start', PROGRAMS, cluster, folder
    )
    assert started.returncode == 0, started.stdout
    yield f"host={folder} user=quoth password='{PASSWORD}' dbname=postgres"
    account.shell('"$1/pg_ctl" -D "$2" -m immediate stop', PROGRAMS, cluster)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
async def oldest_url(oldest_server: str) -> str:
    """A migrated database on it."""
    await migrate(oldest_server)
    return oldest_server


async def test_migrations_and_transactions_run_on_the_oldest_server(oldest_url: str) -> None:
    status = await database_status(oldest_url)
    async with Database.open(oldest_url) as database, database.transaction() as tx:
        await tx.run(ADD, name="старый")

        assert await tx.values(NAMES) == ["local", "старый"]

    assert status.server.startswith(f"{OLDEST_SERVER}.")
    assert status.pending == ()


@pytest.mark.parametrize(
    ("room", "name", "text"), STATEMENTS, ids=[f"{room}-{name}" for room, name, _ in STATEMENTS]
)
def test_every_statement_is_accepted_by_the_oldest_server(
    oldest_url: str, room: str, name: str, text: str
) -> None:
    numbers: dict[str, int] = {}
    numbered = re.sub(
        r"%\((\w+)\)[sbt]", lambda found: f"${numbers.setdefault(found[1], len(numbers) + 1)}", text
    ).replace("%%", "%")

    with psycopg.connect(oldest_url) as connection:
        prepared = connection.pgconn.prepare(b"", numbered.encode())

        assert not prepared.error_message, f"{room}/sql/{name}: {prepared.error_message!r}"
