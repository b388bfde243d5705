"""The server's first process and its children: who is there, and in what state."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from quoth.storage.embedded.layout import Layout
from quoth.storage.embedded.tell import Tell

STATE_LINE = 7

# A child sees at once that its postmaster is gone, unless it is stopped or deep in a system call.
BY_THEMSELVES = timedelta(seconds=3)


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A living postmaster. `state` is its own word: starting, ready, stopping."""

    pid: int
    state: str

    @property
    def ready(self) -> bool:
        """Say if it takes connections."""
        return self.state == "ready"

    @property
    def stopping(self) -> bool:
        """Say if it was told to end."""
        return self.state == "stopping"

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; the process may have ended already."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


def find_postmaster(layout: Layout) -> Postmaster | None:
    """Read who serves the cluster. A file left by a dead postmaster counts for nothing."""
    try:
        lines = (layout.cluster / "postmaster.pid").read_text("utf-8", "replace").splitlines()
        pid = int(lines[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None
    if not serves(pid, layout):
        return None
    return Postmaster(pid, lines[STATE_LINE].strip() if len(lines) > STATE_LINE else "starting")


def serves(pid: int, layout: Layout) -> bool:
    """Say if the process is a living one of this cluster (its number may have a new owner)."""
    if pid <= 1:
        return False
    with suppress(ChildProcessError):
        # Where we are process 1 its end is ours to collect.
        os.waitpid(pid, os.WNOHANG)
    if sys.platform == "linux":
        return _works_in(Path("/proc") / str(pid), layout.cluster)
    else:  # noqa: RET505 - mypy looks at one system at a time
        said = subprocess.run(  # noqa: S603
            ("/bin/ps", "-o", "stat=,args=", "-p", str(pid)),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        ).stdout.strip()
        return "postgres" in said and not said.startswith("Z")


def end_orphans(layout: Layout, waited: timedelta, tell: Tell) -> bool:
    """Say if children of a dead postmaster are left; those that stay too long are killed.

    Their shared memory died with the postmaster: what they would still do is lost in any case.
    """
    left = list(_orphans(layout))
    if left and waited > BY_THEMSELVES:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        tell("embedded.orphans_killed", pids=left)
    return bool(left)


def _orphans(layout: Layout) -> Iterator[int]:
    if sys.platform == "linux":
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and _works_in(process, layout.cluster):
                yield int(process.name)


def _works_in(process: Path, cluster: Path) -> bool:
    # All processes of a cluster work in its directory; a dead one not yet collected works nowhere.
    try:
        return (process / "comm").read_text("utf-8", "replace").strip() == "postgres" and (
            process / "cwd"
        ).samefile(cluster)
    except OSError:
        return False
