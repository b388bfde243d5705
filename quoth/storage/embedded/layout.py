"""What lies where in the data directory."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from quoth.storage.embedded.account import Account
from quoth.storage.embedded.errors import NotADatabase, Unreachable, explain, explained

SUPERUSER = "quoth"
DATABASE = "quoth"
SOCKET = ".s.PGSQL.5432"

# A socket's path has at most 107 bytes on Linux and 103 on macOS.
LONGEST_SOCKET_PATH = 103
# These mean something in a list of hosts or directories.
AWKWARD_IN_A_SOCKET_PATH = frozenset(",\"'\\\n\r")

MAY_LIE_ABOUT = frozenset({"lost+found", ".DS_Store", ".snapshot", ".gitkeep"})


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths below one data directory."""

    data_dir: Path

    @property
    def cluster(self) -> Path:
        """The server's own files."""
        return self.data_dir / "postgresql"

    @property
    def unfinished(self) -> Path:
        """Where a cluster is made; it gets its name when it is whole."""
        return self.data_dir / "postgresql.unfinished"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.data_dir / "log" / "postgresql.log"

    @property
    def backups(self) -> Path:
        """Dumps, newest last by name."""
        return self.data_dir / "backups"

    @property
    def start_lock(self) -> Path:
        """Held while the server is started or stopped."""
        return self.data_dir / "start.lock"

    @property
    def users_lock(self) -> Path:
        """Shared by all processes that use the server: the last one out stops it."""
        return self.data_dir / "users.lock"

    @property
    def server_lock(self) -> Path:
        """Inherited by the server and its children: held as long as any of them lives."""
        return self.data_dir / "server.lock"

    @property
    def run(self) -> Path:
        """The socket's directory, or a link to a shorter one elsewhere."""
        return self.data_dir / "run"

    @property
    def socket_dir(self) -> Path:
        """The socket's directory itself."""
        return Path(os.readlink(self.run)) if self.run.is_symlink() else self.run

    @property
    def url(self) -> str:
        """How to reach the server."""
        return f"postgresql://{SUPERUSER}@/{DATABASE}?host={quote(str(self.socket_dir), safe='')}"


def prepare(layout: Layout, account: Account) -> None:
    """Make what is missing, all of it the account's and private to it."""
    place = layout.data_dir
    with explained(place):
        _refuse_foreign(layout)
        _make(place, account)
        _refuse_unreachable(place, account)
    # The lock file comes first: by it a directory is known as ours.
    made = account.shell(
        'umask 077; cd "$1" && : >>start.lock && : >>users.lock && : >>server.lock '
        "&& mkdir -p log backups",
        place,
    )
    if made.returncode:
        raise explain(made.stderr, place)
    _make_socket_dir(layout, account)


def _refuse_foreign(layout: Layout) -> None:
    # Looked at in this order: what another start of ours makes meanwhile comes after its lock.
    foreign = _contents(layout.data_dir) if layout.data_dir.exists() else []
    if foreign and not layout.start_lock.exists() and not layout.cluster.exists():
        raise NotADatabase(
            f"{layout.data_dir} holds other files (such as {foreign[0]}) and no database of "
            "Quoth: set QUOTH_DATA_DIR to a directory of its own"
        )


def _contents(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir() if entry.name not in MAY_LIE_ABOUT)


def _make(place: Path, account: Account) -> None:
    missing = [folder for folder in reversed(place.parents) if not folder.exists()]
    for parent in missing:
        parent.mkdir(exist_ok=True)
        if account.assumed:
            # However narrow root's umask is, the account must come through.
            parent.chmod(0o755)
    place.mkdir(mode=0o700, exist_ok=True)
    if account.assumed and place.stat().st_uid == 0 and not _contents(place):
        # A new one, or an empty one (such as a volume) that was made for us.
        place.chmod(0o700)
        os.chown(place, account.uid, account.gid)


def _refuse_unreachable(place: Path, account: Account) -> None:
    if not account.assumed:
        return
    found = account.shell(
        'for folder; do test -x "$folder" || { printf %s "$folder"; exit 1; }; done',
        *reversed(place.parents),
        place,
    )
    if found.returncode:
        raise Unreachable(
            f"run by root, the database runs as the user {account.name}, who may not enter "
            f"{found.stdout or place}: set QUOTH_DATA_DIR to a directory that this user can "
            "reach, such as /var/lib/quoth"
        )


def _make_socket_dir(layout: Layout, account: Account) -> None:
    if _fits(layout.run):
        made = account.shell('umask 077; mkdir -p "$1"', layout.run)
    elif layout.run.is_symlink() and (
        _is_private(layout.socket_dir, account)
        # Swept away while we used it: those who use it still know it by this name.
        or account.shell('mkdir -m 700 "$1"', layout.socket_dir).returncode == 0
    ):
        return
    else:
        # Its name cannot be guessed, so nobody can have put something there before.
        made = account.shell(
            'short=$(mktemp -d "$2/quoth-XXXXXXXX") && ln -sfn "$short" "$1"',
            layout.run,
            _short_base(account),
        )
    if made.returncode:
        raise explain(made.stderr, layout.data_dir)


def remove_short_socket_dir(layout: Layout, account: Account) -> None:
    """Leave nothing outside the data directory behind."""
    if layout.run.is_symlink():
        account.shell('rmdir "$2" && rm -f "$1"', layout.run, layout.socket_dir)


def _fits(folder: Path) -> bool:
    path = str(folder / SOCKET)
    try:
        long = len(path.encode()) > LONGEST_SOCKET_PATH
    except UnicodeEncodeError:
        return False
    return not long and not (AWKWARD_IN_A_SOCKET_PATH & set(path))


def _is_private(folder: Path, account: Account) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == account.uid and not found.st_mode & 0o077


def _short_base(account: Account) -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and not account.assumed and _is_private(Path(runtime), account):
        base = Path(runtime)
        if _fits(base / "quoth-XXXXXXXX"):
            return base
    return Path("/tmp")  # noqa: S108 - the directory made in it has a random name and is private
