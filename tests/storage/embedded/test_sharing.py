"""Several processes and one server: who starts it, who stops it, whose end it outlives."""

import os
import pwd
from pathlib import Path

import pytest

from tests.storage.embedded.conftest import Hold
from tests.storage.embedded.holder import ask, postmaster_of
from tests.storage.embedded.people import AS_ROOT, PLAIN_USER


def test_processes_that_start_together_share_one_server(
    hold: Hold, own_dir: Path, user: str | None
) -> None:
    data_dir = own_dir / "data"

    holders = [hold(data_dir, user) for _ in range(4)]
    pids = {
        ask(holder.ready().url, "select pg_read_file('postmaster.pid', 0, 12)")
        for holder in holders
    }

    assert len(pids) == 1
    assert [holder.end() for holder in holders] == [0, 0, 0, 0]
    assert postmaster_of(data_dir) is None


def test_the_last_one_out_stops_the_server(hold: Hold, data_dir: Path) -> None:
    first = hold(data_dir).ready()
    second = hold(data_dir).ready()

    first.end()
    assert ask(second.url, "select 1") == 1

    second.end()
    assert postmaster_of(data_dir) is None


def test_a_killed_process_leaves_the_server_to_the_next_one(
    hold: Hold, own_dir: Path, user: str | None
) -> None:
    data_dir = own_dir / "data"
    hold(data_dir, user).ready().kill()
    left = postmaster_of(data_dir)

    next_one = hold(data_dir, user).ready()

    assert left is not None
    assert postmaster_of(data_dir) == left
    next_one.end()
    assert postmaster_of(data_dir) is None


def test_a_killed_process_does_not_keep_the_server_from_being_stopped(
    hold: Hold, data_dir: Path
) -> None:
    killed = hold(data_dir).ready()
    other = hold(data_dir).ready()
    killed.kill()

    other.end()

    assert postmaster_of(data_dir) is None


def test_ctrl_c_reaches_us_and_not_the_server_of_others(hold: Hold, data_dir: Path) -> None:
    starter = hold(data_dir).ready()
    other = hold(data_dir).ready()
    before = postmaster_of(data_dir)

    starter.interrupt()

    assert postmaster_of(data_dir) == before
    assert ask(other.url, "select 1") == 1


def test_ctrl_c_alone_stops_the_server_in_order(hold: Hold, data_dir: Path) -> None:
    holder = hold(data_dir).ready()

    holder.interrupt()

    assert postmaster_of(data_dir) is None
    assert "database system is shut down" in (data_dir / "log/postgresql.log").read_text("utf-8")


def test_a_process_killed_while_it_makes_the_database_spoils_nothing(
    hold: Hold, own_dir: Path, user: str | None
) -> None:
    data_dir = own_dir / "data"
    for _ in range(3):
        killed = hold(data_dir, user)
        killed.hear("embedded.creating")
        killed.kill()

    holder = hold(data_dir, user).ready()

    assert ask(holder.url, "select 1") == 1
    assert not (data_dir / "postgresql.unfinished").exists()


@pytest.mark.skipif(not AS_ROOT, reason="needs root")
def test_root_and_the_owner_may_take_turns(hold: Hold, folder: Path) -> None:
    entry = pwd.getpwnam(PLAIN_USER)
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    data_dir = folder / "data"
    hold(data_dir, PLAIN_USER).ready().end()

    by_root = hold(data_dir).ready()
    beside_it = hold(data_dir, PLAIN_USER).ready()
    by_root.end()

    assert ask(beside_it.url, "select 1") == 1
    assert beside_it.end() == 0
    assert {path.stat().st_uid for path in data_dir.iterdir()} == {entry.pw_uid}
