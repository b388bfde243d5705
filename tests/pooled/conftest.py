"""The same fixtures, with a transaction pooler between: once with a direct way, once without.

The tests are those of `tests/queue` and `tests/journeys`, collected here again, so that they find
their `addresses` here.
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from quoth.storage.addresses import Addresses

# Fewer than the clients have connections: every statement may find another session.
SESSIONS = 4
CONFIGURATION = """
[databases]
* = host={host} port={port} user=quoth
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
auth_type = any
pool_mode = transaction
default_pool_size = {sessions}
max_client_conn = 200
server_reset_query =
ignore_startup_parameters = extra_float_digits
logfile = {folder}/log
pidfile = {folder}/pid
"""


FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what goes through the pooler: `pytest -m pooled`, or `not pooled`."""
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker("pooled")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture(scope="session")
def pooler(server: str) -> Iterator[int]:
    """The port of a PgBouncer before the tests' server."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        pytest.skip("needs PgBouncer (on Debian: apt-get install pgbouncer)")
    folder = Path(tempfile.mkdtemp(prefix="quoth-pooler-"))
    folder.chmod(0o777)
    where, port = conninfo_to_dict(server), _free_port()
    file = folder / "pgbouncer.ini"
    file.write_text(
        CONFIGURATION.format(
            host=where["host"],
            port=where.get("port", 5432),
            listen=port,
            folder=folder,
            sessions=SESSIONS,
        )
    )
    # It refuses to be root; the server knows its own account by the kernel's word.
    owner = Path(str(where["host"])).owner()
    as_owner = ["-u", owner] if os.geteuid() == 0 else []
    running = subprocess.Popen([program, "-q", *as_owner, str(file)], cwd=folder)
    try:
        _until_ready(port)
        yield port
    finally:
        running.terminate()
        running.wait(10)
        shutil.rmtree(folder)


def _until_ready(port: int) -> None:
    until = time.monotonic() + 10
    while True:
        try:
            with psycopg.connect(host="127.0.0.1", port=port, dbname="quoth", user="quoth"):
                return
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


@pytest.fixture(params=["with a direct way", "with none"])
def has_direct(request: pytest.FixtureRequest) -> bool:
    """Whether there is a way past the pooler: each test runs with and without."""
    return bool(request.param == "with a direct way")


@pytest.fixture
def addresses(has_direct: bool, database_url: str, pooler: int) -> Addresses:
    """How the product is told to reach the database."""
    return _through(pooler, database_url, has_direct)


@pytest.fixture
def empty_addresses(has_direct: bool, empty_database_url: str, pooler: int) -> Addresses:
    """The same for a database with nothing in it."""
    return _through(pooler, empty_database_url, has_direct)


def _through(pooler: int, url: str, has_direct: bool) -> Addresses:
    pooled = make_conninfo(url, host="127.0.0.1", port=pooler, user="quoth")
    return Addresses(pooled, url if has_direct else None)
