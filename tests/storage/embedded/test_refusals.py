"""What keeps the server from starting is said in one sentence, and ends the process in error."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from quoth.storage.embedded import reachable, server
from quoth.storage.embedded.errors import (
    DataDirInUse,
    DiskFull,
    EmbeddedServerError,
    NotADatabase,
    NotWritable,
    OtherMajorVersion,
    SocketInUse,
    StartFailed,
    Unreachable,
    explain,
)
from quoth.storage.embedded.programs import Programs, installed_programs
from quoth.storage.embedded.server import EmbeddedServer
from tests.storage.embedded.conftest import Hold
from tests.storage.embedded.holder import ask, postmaster_of
from tests.storage.embedded.people import AS_ROOT, PLAIN_USER

needs_root = pytest.mark.skipif(not AS_ROOT, reason="needs root")
A_MOMENT = timedelta(milliseconds=200)


def refusal(data_dir: Path) -> EmbeddedServerError:
    """Why a start in this process is refused."""
    starting = EmbeddedServer(data_dir)
    with pytest.raises(EmbeddedServerError) as refused:
        starting.start()
    starting.leave()
    assert "\n" not in refused.value.message
    return refused.value


@pytest.fixture
def stopped(hold: Hold, data_dir: Path) -> Path:
    """A data directory with a database in it, at rest."""
    hold(data_dir).ready().end()
    return data_dir


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system with room for a database and little more."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ("mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(disk)),
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("may not mount")
    yield disk
    # Whoever still ends there may do so: the name is free at once.
    subprocess.run(("umount", "--lazy", str(disk)), check=True)


@needs_root
def test_a_disk_too_full_for_a_new_database(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(bytes(70_000_000))

    refused = refusal(small_disk / "data")

    assert isinstance(refused, DiskFull)
    assert str(small_disk / "data") in refused.message


@needs_root
def test_a_disk_that_has_filled_up(small_disk: Path, hold: Hold) -> None:
    data_dir = small_disk / "data"
    holder = hold(data_dir).ready()
    holder.kill()
    os.kill(postmaster_of(data_dir) or 0, 9)
    with pytest.raises(OSError, match="No space"):
        (small_disk / "ballast").write_bytes(bytes(100_000_000))

    refused = refusal(data_dir)

    assert isinstance(refused, DiskFull)


@needs_root
def test_a_disk_with_room_again_starts_again(small_disk: Path, hold: Hold) -> None:
    data_dir = small_disk / "data"
    ballast = small_disk / "ballast"
    small_disk.chmod(0o777)
    ballast.write_bytes(bytes(70_000_000))
    refusal(data_dir)

    ballast.unlink()

    assert ask(hold(data_dir).ready().url, "select 1") == 1


def test_a_directory_that_may_not_be_written(hold: Hold, own_dir: Path, user: str | None) -> None:
    if AS_ROOT and user is None:
        pytest.skip("root may write everywhere")
    own_dir.chmod(0o500)

    holder = hold(own_dir / "data", user)

    said = holder.hear("refused")
    assert said.startswith("NotWritable")
    assert str(own_dir / "data") in said
    assert holder.end() == 1


@needs_root
def test_a_read_only_file_system(small_disk: Path) -> None:
    subprocess.run(("mount", "-o", "remount,ro", str(small_disk)), check=True)

    assert isinstance(refusal(small_disk / "data"), NotWritable)


@needs_root
def test_a_directory_of_another_users(hold: Hold, stopped: Path) -> None:
    stopped.chmod(0o755)

    said = hold(stopped, PLAIN_USER).hear("refused")

    assert said.startswith("NotWritable")
    assert "belongs to the user" in said


@needs_root
def test_a_directory_that_root_may_enter_and_the_servers_user_not(folder: Path) -> None:
    home = folder / "home"
    home.mkdir(mode=0o700)

    refused = refusal(home / "data")

    assert isinstance(refused, Unreachable)
    assert str(home) in refused.message
    assert home.stat().st_mode & 0o777 == 0o700


@needs_root
def test_root_takes_an_empty_directory_that_was_made_for_it(hold: Hold, data_dir: Path) -> None:
    data_dir.mkdir(mode=0o755)

    assert ask(hold(data_dir).ready().url, "select 1") == 1


@needs_root
def test_programs_that_the_servers_user_cannot_reach_are_copied_once(
    folder: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = Programs(folder / "hidden")
    for part in installed_programs().parts:
        target = hidden.root / part.relative_to(installed_programs().root)
        shutil.copytree(part, target, symlinks=True)
    hidden.root.chmod(0o700)
    monkeypatch.setattr(reachable, "installed_programs", lambda: hidden)

    for _ in range(2):
        running = EmbeddedServer(data_dir)
        running.start()
        exe = os.readlink(f"/proc/{postmaster_of(data_dir)}/exe")
        running.leave()

        [copy] = data_dir.glob("programs-*")
        assert Path(exe).is_relative_to(copy)


def test_a_directory_with_other_files_is_left_alone(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "thesis.doc").touch()

    refused = refusal(data_dir)

    assert isinstance(refused, NotADatabase)
    assert "thesis.doc" in refused.message
    assert [path.name for path in data_dir.iterdir()] == ["thesis.doc"]


def test_a_file_is_no_directory(data_dir: Path) -> None:
    data_dir.touch()

    assert isinstance(refusal(data_dir), NotADatabase)


def test_files_that_are_no_database(stopped: Path) -> None:
    (stopped / "postgresql/PG_VERSION").unlink()

    assert isinstance(refusal(stopped), NotADatabase)


def test_a_database_of_another_major_version(stopped: Path) -> None:
    (stopped / "postgresql/PG_VERSION").write_text("19\n", "ascii")

    refused = refusal(stopped)

    assert isinstance(refused, OtherMajorVersion)
    assert "19" in refused.message


def test_a_server_on_another_machine(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "ELSEWHERE_WITHIN", A_MOMENT)
    with (stopped / "server.lock").open("r+") as lock:
        lock.write("attic")
        lock.truncate()
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_SH)

        refused = refusal(stopped)

    assert isinstance(refused, DataDirInUse)
    assert "attic" in refused.message


def test_a_start_that_hangs_elsewhere(stopped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "START_WITHIN", A_MOMENT)
    starting = EmbeddedServer(stopped)
    with (stopped / "start.lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        with pytest.raises(DataDirInUse, match=r"start\.lock"):
            starting.start()


def test_a_server_whose_socket_is_gone(
    hold: Hold, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "ANSWER_WITHIN", A_MOMENT)
    hold(data_dir).ready()
    (data_dir / "run/.s.PGSQL.5432").unlink()

    assert isinstance(refusal(data_dir), SocketInUse)


def test_a_setting_that_the_server_does_not_take(stopped: Path) -> None:
    (stopped / "postgresql/postgresql.auto.conf").write_text("max_connections = 'many'\n", "ascii")

    refused = refusal(stopped)

    assert isinstance(refused, StartFailed)
    assert "max_connections" in refused.message


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("initdb: error: could not create directory: No space left on device", DiskFull),
        ("Disk quota exceeded", DiskFull),
        ("FATAL:  could not create any Unix-domain sockets", SocketInUse),
        ('HINT:  Is another postmaster (PID 7) running in data directory "/x"?', DataDirInUse),
        ("FATAL:  data directory has invalid permissions", NotWritable),
        ("mkdir: cannot create directory: Read-only file system", NotWritable),
        ("No locks available", NotWritable),
        ("FATAL:  something new", StartFailed),
    ],
)
def test_what_is_said_decides_the_kind(said: str, kind: type[EmbeddedServerError]) -> None:
    assert type(explain(said, Path("/tmp"))) is kind
