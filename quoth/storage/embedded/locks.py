"""Locks on files: the kernel frees them however a process ends."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class FileLock:
    """One hold on a lock file. A child that inherits `number` shares the hold."""

    def __init__(self, number: int) -> None:
        self.number = number

    @classmethod
    def open(cls, path: Path) -> "FileLock":
        """Open an existing file, without locking it."""
        return cls(os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC))

    def take(self, *, shared: bool = False) -> bool:
        """Lock at once, or change the kind of lock; say if it worked."""
        try:
            fcntl.flock(self.number, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Let go; the lock itself is free when nobody else shares this hold."""
        os.close(self.number)


@contextmanager
def opened(path: Path) -> Iterator[FileLock]:
    """Open a lock file for the length of a block."""
    lock = FileLock.open(path)
    try:
        yield lock
    finally:
        lock.close()
