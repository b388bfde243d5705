"""The server dies, is stopped by somebody, or wakes up slowly: it comes back, with its data."""

import os
import shutil
import signal
import time
from pathlib import Path

import psycopg
import pytest

from quoth.storage.embedded.layout import Layout
from tests.storage.embedded.conftest import Hold
from tests.storage.embedded.holder import ask, postmaster_of

BACK_WITHIN = 5.0


def write_note(url: str) -> None:
    ask(url, "create table if not exists note as select 'kept' as text")


def read_note(url: str) -> object:
    return ask(url, "select text from note")


def read_note_once_back(url: str) -> object:
    deadline = time.monotonic() + BACK_WITHIN
    while True:
        try:
            return read_note(url)
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise


def kill_postmaster(data_dir: Path, number: signal.Signals = signal.SIGKILL) -> int:
    pid = postmaster_of(data_dir)
    assert pid is not None
    os.kill(pid, number)
    return pid


def children_of(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in path.read_text("ascii").split()]


def test_a_killed_server_comes_back_while_we_use_it(
    hold: Hold, own_dir: Path, user: str | None
) -> None:
    holder = hold(own_dir / "data", user).ready()
    write_note(holder.url)

    for _ in range(3):
        killed = kill_postmaster(own_dir / "data")

        assert read_note_once_back(holder.url) == "kept"
        assert postmaster_of(own_dir / "data") != killed


def test_a_killed_server_comes_back_once_for_several_users(hold: Hold, data_dir: Path) -> None:
    holders = [hold(data_dir).ready() for _ in range(3)]
    write_note(holders[0].url)

    kill_postmaster(data_dir)

    assert [read_note_once_back(holder.url) for holder in holders] == ["kept"] * 3
    assert [holder.end() for holder in holders] == [0, 0, 0]
    assert postmaster_of(data_dir) is None


def test_a_server_that_somebody_asks_to_stop_comes_back(hold: Hold, data_dir: Path) -> None:
    holder = hold(data_dir).ready()
    write_note(holder.url)

    with psycopg.connect(holder.url):
        # A polite stop waits for this connection, and lets no new one in meanwhile.
        stopped = kill_postmaster(data_dir, signal.SIGTERM)
        assert read_note_once_back(holder.url) == "kept"

    assert postmaster_of(data_dir) != stopped


def test_the_next_start_recovers_what_a_killed_server_had_committed(
    hold: Hold, own_dir: Path, user: str | None
) -> None:
    data_dir = own_dir / "data"
    first = hold(data_dir, user).ready()
    write_note(first.url)
    first.kill()
    kill_postmaster(data_dir)

    second = hold(data_dir, user).ready()

    assert read_note(second.url) == "kept"


def test_a_stale_number_that_now_is_another_process_fools_nobody(
    hold: Hold, data_dir: Path
) -> None:
    first = hold(data_dir).ready()
    write_note(first.url)
    first.kill()
    killed = kill_postmaster(data_dir)
    pid_file = data_dir / "postgresql/postmaster.pid"
    text = pid_file.read_text("utf-8")
    pid_file.write_text(text.replace(str(killed), str(os.getpid()), 1), "utf-8")

    second = hold(data_dir).ready()

    assert read_note(second.url) == "kept"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_children_that_outlive_a_killed_server_are_ended(
    hold: Hold, own_dir: Path, user: str | None
) -> None:
    data_dir = own_dir / "data"
    first = hold(data_dir, user).ready()
    write_note(first.url)
    first.kill()
    pid = postmaster_of(data_dir)
    assert pid is not None
    stuck = children_of(pid)
    for child in stuck:
        os.kill(child, signal.SIGSTOP)
    kill_postmaster(data_dir)

    second = hold(data_dir, user)
    second.hear("embedded.orphans_killed")
    second.ready()

    assert read_note(second.url) == "kept"
    assert not any(Path(f"/proc/{child}/cwd").exists() for child in stuck)


@pytest.mark.slow
def test_a_long_recovery_is_waited_for(hold: Hold, data_dir: Path) -> None:
    first = hold(data_dir).ready()
    write_note(first.url)
    ask(first.url, "alter system set restore_command = 'sleep 11; false'")
    first.kill()
    kill_postmaster(data_dir)
    (Layout(data_dir).cluster / "recovery.signal").touch()
    began = time.monotonic()

    second = hold(data_dir)
    told = second.hear("embedded.waiting")
    beside = hold(data_dir)
    second.ready()
    beside.ready()

    assert told == "for the database to recover"
    assert time.monotonic() - began > 10
    assert read_note(second.url) == "kept"


def test_ctrl_c_during_a_long_recovery_ends_us_at_once(hold: Hold, data_dir: Path) -> None:
    first = hold(data_dir).ready()
    ask(first.url, "alter system set restore_command = 'sleep 30; false'")
    first.kill()
    kill_postmaster(data_dir)
    (Layout(data_dir).cluster / "recovery.signal").touch()
    second = hold(data_dir)
    second.hear("embedded.waiting")
    began = time.monotonic()

    second.interrupt()

    assert time.monotonic() - began < 10
    assert postmaster_of(data_dir) is None


def test_a_short_socket_directory_that_was_swept_away_comes_back_under_its_name(
    hold: Hold, folder: Path
) -> None:
    data_dir = folder / "/".join(["a-long-name"] * 10)
    holder = hold(data_dir).ready()
    write_note(holder.url)
    short = Layout(data_dir).socket_dir

    shutil.rmtree(short)
    kill_postmaster(data_dir)

    assert read_note_once_back(holder.url) == "kept"
    assert holder.end() == 0
    assert not short.exists()
