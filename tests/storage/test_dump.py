"""Dumps: whole or not there, private, restored as they were, and silent about passwords."""

import stat
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from quoth.storage import dump as dump_module
from quoth.storage.dump import DumpFailed, dump, restore
from quoth.storage.embedded.programs import Programs


def workspaces(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("select name from accounts.workspace order by id").fetchall()
    return [name for (name,) in rows]


def add_workspace(url: str, name: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("insert into accounts.workspace (name) values (%s)", [name])


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.fixture
def spy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """A pg_dump that only writes down how it was called."""
    programs = Programs(tmp_path / "programs")
    program = Path(programs["pg_dump"])
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" "password: $PGPASSWORD"\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(dump_module, "installed_programs", lambda: programs)
    return programs


async def test_a_restored_dump_is_what_was_dumped(database_url: str, tmp_path: Path) -> None:
    path = tmp_path / "мой дамп" / "one.dump"
    add_workspace(database_url, "до")
    await dump(database_url, path)
    add_workspace(database_url, "после")

    await restore(database_url, path)

    assert workspaces(database_url) == ["local", "до"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names_in(path.parent) == ["one.dump"]


async def test_a_dump_goes_into_an_empty_database(
    database_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    await dump(database_url, tmp_path / "one.dump")

    await restore(empty_database_url, tmp_path / "one.dump")

    assert workspaces(empty_database_url) == ["local"]


async def test_a_dump_that_fails_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(DumpFailed) as failed:
        await dump("postgresql://quoth@/quoth?host=/nowhere", tmp_path / "one.dump")

    assert "\n" not in failed.value.message
    assert names_in(tmp_path) == []


async def test_what_is_no_dump_is_refused_and_changes_nothing(
    database_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("dear all", "utf-8")

    with pytest.raises(DumpFailed):
        await restore(database_url, path)
    with pytest.raises(DumpFailed):
        await restore(database_url, tmp_path / "missing.dump")

    assert workspaces(database_url) == ["local"]


@pytest.mark.usefixtures("spy")
async def test_a_password_is_not_among_the_arguments(tmp_path: Path) -> None:
    url = make_conninfo(host="db.example", user="quoth", password="let me in", dbname="quoth")

    await dump(url, tmp_path / "said")

    *arguments, password = (tmp_path / "said").read_text("utf-8").splitlines()
    assert password == "password: let me in"
    assert not any("let me in" in argument for argument in arguments)
    assert "host=db.example" in "\n".join(arguments)
