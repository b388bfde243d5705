"""The server's first process: is it there, is it ready, and how it is ended."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from quoth.storage.embedded.layout import Layout

READY_LINE = 7


@dataclass(frozen=True, slots=True)
class Postmaster:
    """A living postmaster."""

    pid: int
    ready: bool

    def signal(self, number: signal.Signals) -> None:
        """Ask it to end; it may have ended already."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


def find_postmaster(layout: Layout) -> Postmaster | None:
    """Read who serves the cluster. A file left by a dead postmaster counts for nothing."""
    try:
        lines = (layout.cluster / "postmaster.pid").read_text("utf-8", "replace").splitlines()
        pid = abs(int(lines[0]))
    except (FileNotFoundError, IndexError, ValueError):
        return None
    if not serves(pid, layout):
        return None
    ready = len(lines) > READY_LINE and lines[READY_LINE].strip() == "ready"
    return Postmaster(pid, ready)


def serves(pid: int, layout: Layout) -> bool:
    """Say if the process is a living one of this cluster (its number may have a new owner)."""
    with suppress(ChildProcessError):
        # Where we are process 1 its end is ours to collect.
        os.waitpid(pid, os.WNOHANG)
    if sys.platform == "linux":
        return _works_in(Path("/proc") / str(pid), layout.cluster)
    said = subprocess.run(  # noqa: S603
        ("/bin/ps", "-o", "stat=,args=", "-p", str(pid)),
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    ).stdout.strip()
    return not said.startswith("Z") and "postgres" in said


def orphans(layout: Layout) -> Iterator[int]:
    """Children that outlived their postmaster; only Linux tells."""
    if sys.platform != "linux":
        return
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
