"""Who is measured: ours and its peers, each with its adapter and the Python that runs it."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.queue import environments
from quoth import __version__

# Name, and package where that differs. oban is apart: it needs a newer Python.
PEERS = {
    "pgqueuer": "pgqueuer",
    "procrastinate": "procrastinate",
    "chancy": "chancy",
    "absurd": "absurd-sdk",
    "dbos": "dbos",
    "awa": "awa-pg",
    "saq": "saq",
}
OURS = "quoth"


@dataclass(frozen=True, slots=True)
class System:
    """A queue that can be run here."""

    name: str
    version: str
    python: Path
    adapter: str

    @property
    def title(self) -> str:
        """What a reader looks for."""
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class Absent:
    """A queue that cannot be run here, and why."""

    name: str
    why: str


def systems() -> list[System | Absent]:
    """Ours first."""
    ours = System(OURS, __version__, Path(sys.executable), "bench.queue.ours")
    peers = [_found(name, package, environments.peers) for name, package in PEERS.items()]
    return [ours, *peers, _found("oban", "oban", environments.newer)]


def _found(name: str, package: str, environment: Callable[[], Path | None]) -> System | Absent:
    try:
        python = environment()
        if python is None:
            return Absent(name, "left out, no Python 3.12 here")
        version = environments.version_of(python, package)
    except LookupError as error:
        return Absent(name, str(error))
    return System(name, version, python, f"bench.queue.peers.{name}")
