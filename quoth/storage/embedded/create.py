"""A new cluster: whole or not there at all."""

from quoth.storage.embedded.account import Account
from quoth.storage.embedded.configuration import INCLUDE, Options
from quoth.storage.embedded.errors import NotADatabase, OtherMajorVersion, explain, explained
from quoth.storage.embedded.layout import DATABASE, SUPERUSER, Layout
from quoth.storage.embedded.locks import FileLock
from quoth.storage.embedded.programs import MAJOR, Programs


def is_created(layout: Layout) -> bool:
    """Say if there is a cluster; raises when there is something else, or one we cannot run."""
    with explained(layout.data_dir):
        if not layout.cluster.exists() or not any(layout.cluster.iterdir()):
            return False
        try:
            major = (layout.cluster / "PG_VERSION").read_text("ascii").strip()
        except FileNotFoundError:
            raise NotADatabase(
                f"{layout.cluster} holds files that are no PostgreSQL database: move them away, "
                "or set QUOTH_DATA_DIR to another directory"
            ) from None
    if major != str(MAJOR):
        raise OtherMajorVersion(
            f"the database in {layout.cluster} was written by PostgreSQL {major} and this version "
            f"of Quoth brings {MAJOR}: run the version of Quoth that wrote it"
        )
    return True


def create(
    layout: Layout, account: Account, programs: Programs, options: Options, lock: FileLock
) -> None:
    """Make a cluster with our database in it.

    What is made inherits `lock`: should we be killed, the next start waits until it has ended.
    """
    new = layout.unfinished
    _do(layout, account, lock, "rm", "-rf", "--", str(new))
    _do(
        layout, account, lock,
        programs["initdb"], "--pgdata", str(new), "--username", SUPERUSER,
        "--auth-local", "peer", "--auth-host", "reject", "--encoding", "UTF8",
        "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8",
        "--data-checksums", "--no-instructions", *(() if options.durable else ("--no-sync",)),
    )  # fmt: skip
    _do(
        layout, account, lock,
        programs["postgres"], "--single", "-D", str(new), "-c", "exit_on_error=on",
        *(() if options.durable else ("-F",)), "postgres",
        typed=f"create database {DATABASE}\n",
    )  # fmt: skip
    _do(layout, account, lock, "/bin/sh", "-c", 'cat >>"$0/postgresql.conf"', str(new),
        typed=INCLUDE)  # fmt: skip
    _do(layout, account, lock, "/bin/sh", "-c", 'rmdir "$1" 2>/dev/null; mv "$0" "$1"; sync "$1"',
        str(new), str(layout.cluster))  # fmt: skip


def _do(layout: Layout, account: Account, lock: FileLock, *command: str, typed: str = "") -> None:
    done = account.run(*command, typed=typed, keep_open=(lock.number,))
    if done.returncode:
        raise explain(done.stderr + done.stdout, layout.data_dir)
