"""A PostgreSQL 15, the oldest we promise, where Debian's is installed."""

import asyncio
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quoth.storage.migrate import migrate

PROGRAMS = Path("/usr/lib/postgresql/15/bin")


@pytest.fixture(scope="session")
def debian_url() -> Iterator[str]:
    """The address of a migrated database on a server of its own."""
    if not PROGRAMS.is_dir():
        pytest.skip("there is no PostgreSQL 15 here")
    folder = Path(tempfile.mkdtemp(prefix="quoth-15-"))
    # PostgreSQL refuses to run as root.
    account = "postgres" if os.geteuid() == 0 else None
    if account is not None:
        os.chown(folder, pwd.getpwnam(account).pw_uid, -1)

    def run(*command: str) -> None:
        subprocess.run(
            [PROGRAMS / command[0], *command[1:]],
            check=True, cwd=folder, user=account, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    data = str(folder / "data")
    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    try:
        run("initdb", "-D", data, "--auth=trust", "-U", "quoth", "-E", "UTF8", "--locale=C.UTF-8")
        run("pg_ctl", "-D", data, "-o", options, "-l", str(folder / "log"), "-w", "start")
        try:
            url = f"postgresql:///postgres?host={folder}&user=quoth"
            asyncio.run(migrate_all(url))
            yield url
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


async def migrate_all(url: str) -> None:
    """Bring the database to what this code knows."""
    await migrate(url)
