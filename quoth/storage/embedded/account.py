"""As whom the server runs, and what is done in that user's name."""

import errno
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quoth.storage.embedded.errors import NotWritable, UnsupportedPlatform

if sys.platform != "win32":
    import pwd

# PostgreSQL refuses to run as root. The first of these that exists is used in its place.
SYSTEM_USERS = ("quoth", "postgres", "nobody")

# Keys and passwords in our environment are none of the server's business; English, because its
# words are read in `errors`.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the system. `assumed`: we are root and become this user."""

    name: str
    uid: int
    gid: int
    assumed: bool

    def run(
        self, *command: str, typed: str = "", keep_open: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this user, out of reach of our terminal's Ctrl-C."""
        try:
            return self._run(command, typed, keep_open)
        except PermissionError as error:
            if self.assumed and error.errno == errno.EPERM:
                raise UnsupportedPlatform(
                    f"PostgreSQL does not run as root, and root may not become the user "
                    f"{self.name} here: run as an ordinary user"
                ) from error
            raise

    def _run(
        self, command: Sequence[str], typed: str, keep_open: Sequence[int]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - the commands are ours
            command,
            input=typed,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            cwd="/",
            env=ENVIRONMENT | {name: os.environ[name] for name in PASSED_ON if name in os.environ},
            start_new_session=True,
            pass_fds=keep_open,
            user=self.uid if self.assumed else None,
            group=self.gid if self.assumed else None,
            extra_groups=os.getgrouplist(self.name, self.gid) if self.assumed else None,
        )

    def shell(
        self, script: str, *values: Path | str, typed: str = "", keep_open: Sequence[int] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a script in which `values` are `$1`, `$2` ..., whatever characters they hold."""
        arguments = [os.fspath(value) for value in values]
        return self.run(
            "/bin/sh", "-c", script, "quoth", *arguments, typed=typed, keep_open=keep_open
        )


def account_for(*places: Path) -> Account:
    """Return as whom to run a server on `places`: us, or as root their owner or a system user."""
    if sys.platform == "win32":
        raise UnsupportedPlatform(
            "there is no embedded PostgreSQL on Windows: set QUOTH_DATABASE_URL to a server"
        )
    owners = [(place, place.stat().st_uid) for place in places if place.exists()]
    if os.geteuid() == 0:
        return _as_root(owners)
    for place, uid in owners:
        if uid != os.geteuid():
            raise NotWritable(
                f"{place} belongs to the user {_name_of(uid)}: run as that user, or set "
                "QUOTH_DATA_DIR to a directory of your own"
            )
    return _account(os.geteuid(), assumed=False)


def _as_root(owners: Sequence[tuple[Path, int]]) -> Account:
    for _, uid in owners:
        if uid != 0:
            return _account(uid, assumed=True)
    for name in SYSTEM_USERS:
        try:
            return _account(pwd.getpwnam(name).pw_uid, assumed=True)
        except KeyError:
            continue
    raise UnsupportedPlatform(
        "PostgreSQL does not run as root and there is no other system user: create one with "
        "`useradd --system quoth`"
    )


def _account(uid: int, *, assumed: bool) -> Account:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        raise UnsupportedPlatform(
            f"the user id {uid} has no name on this system, which PostgreSQL needs: add it to "
            "/etc/passwd, or set QUOTH_DATABASE_URL"
        ) from None
    return Account(entry.pw_name, uid, entry.pw_gid, assumed)


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
