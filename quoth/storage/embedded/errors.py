"""Why there is no embedded database: one class a reason, one sentence each."""

import errno
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class EmbeddedServerError(Exception):
    """The embedded database cannot be had; `message` is one sentence for a person."""

    @property
    def message(self) -> str:
        """What is the matter, and what to do."""
        return str(self)


class DiskFull(EmbeddedServerError):
    """There is no room, or the quota is used up."""


class NotWritable(EmbeddedServerError):
    """The directory is read-only, or another user's."""


class Unreachable(EmbeddedServerError):
    """The user as whom the server must run cannot get to the directory."""


class NotADatabase(EmbeddedServerError):
    """The directory holds something else."""


class OtherMajorVersion(EmbeddedServerError):
    """The files were written by another major version of PostgreSQL."""


class DataDirInUse(EmbeddedServerError):
    """A server or a start on another machine, or one that hangs, holds the directory."""


class SocketInUse(EmbeddedServerError):
    """The server's socket cannot be made, or not be reached from here."""


class UnsupportedPlatform(EmbeddedServerError):
    """There is no embedded server for this system or this user."""


class StartFailed(EmbeddedServerError):
    """The server said something that has no class of its own."""


# A server that starts writes a piece of its log of this size.
_LEAST_ROOM = 16 * 1024 * 1024

_DISK_FULL = "the disk that holds {place} is full: make room there and start again"

_SAYINGS: tuple[tuple[str, type[EmbeddedServerError], str], ...] = (
    (
        r"no space left on device|disk quota exceeded",
        DiskFull,
        _DISK_FULL,
    ),
    (
        r"unix.domain socket",
        SocketInUse,
        "the database's socket for {place} cannot be made: {saying}",
    ),
    (
        r"is another postmaster|shared memory block .* is still in use",
        DataDirInUse,
        "another PostgreSQL server works on {place}: stop it first",
    ),
    (
        r"has (wrong ownership|invalid permissions)|could not change permissions"
        r"|operation not permitted",
        NotWritable,
        "the file system of {place} keeps no owners and permissions as PostgreSQL needs them: "
        "set QUOTH_DATA_DIR to a directory on another one",
    ),
    (
        r"no locks available|function not implemented|operation not supported",
        NotWritable,
        "the file system of {place} cannot lock files: set QUOTH_DATA_DIR to a directory on "
        "another one",
    ),
    (
        r"read-only file system|permission denied",
        NotWritable,
        "the directory {place} cannot be written to: make it writable or set QUOTH_DATA_DIR to "
        "another one",
    ),
)


def explain(output: str, place: Path) -> EmbeddedServerError:
    """Turn what PostgreSQL or a tool said into one sentence about `place`."""
    for pattern, kind, sentence in _SAYINGS:
        if re.search(pattern, output, re.IGNORECASE):
            return kind(sentence.format(place=place, saying=_last_complaint(output)))
    if _is_full(place):
        # On a full disk there is no room to log that it is full.
        return DiskFull(_DISK_FULL.format(place=place))
    return StartFailed(f"the database in {place} does not start: {_last_complaint(output)}")


def _is_full(place: Path) -> bool:
    try:
        return shutil.disk_usage(place).free < _LEAST_ROOM
    except OSError:
        return False


def _last_complaint(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    complaints = [line for line in lines if re.search(r"FATAL|PANIC|error:", line)]
    said = (complaints or lines or ["it ended without a word"])[-1]
    if "contains errors" in said:
        # What they are was said before.
        said = lines[0]
    return re.sub(r"^.*?(FATAL|PANIC|LOG|error):\s*", "", said)


@contextmanager
def explained(place: Path) -> Iterator[None]:
    """Translate the system's errors about `place`."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.EEXIST):
            raise NotADatabase(f"{place} is not a directory: set QUOTH_DATA_DIR to one") from error
        raise explain(error.strerror or repr(error), place) from error
