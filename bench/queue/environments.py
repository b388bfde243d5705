"""The peers' own environments, made from their hashed lock: outside the project's."""

import shutil
import subprocess
import sys
from pathlib import Path

from bench.results import HERE

LOCK = HERE / "peers.lock"
HOME = HERE.parent / ".venv-peers"
UV = str(Path(sys.executable).with_name("uv"))
NEWER = ("python3.13", "python3.12", "python3.14")


def peers() -> Path:
    """The Python in which all peers but one are installed, made anew when the lock is newer."""
    return _made(HOME / "peers", sys.executable)


def newer() -> Path | None:
    """The same lock under Python 3.12 or newer, or None where this machine has none."""
    found = next((path for name in NEWER if (path := _runs(name))), None)
    return None if found is None else _made(HOME / "newer", found)


def _runs(name: str) -> str | None:
    """Where a Python is; a version manager may have a name for one that is not switched on."""
    managed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{name[6:]}*/bin/{name}"))
    for candidate in (shutil.which(name), *map(str, managed)):
        if candidate and _ask(candidate, "--version").returncode == 0:
            return candidate
    return None


def _made(home: Path, python: str) -> Path:
    inside, ready = home / "bin" / "python", home / ".ready"
    if not ready.exists() or ready.stat().st_mtime < LOCK.stat().st_mtime:
        _must(UV, "venv", "-q", "--clear", "--python", python, str(home))
        _must(UV, "pip", "sync", "-q", "--require-hashes", "--python", str(inside), str(LOCK))
        ready.touch()
    return inside


def version_of(python: Path, package: str) -> str:
    """Which version of a peer is installed; raises `LookupError` when there is none."""
    asked = _ask(
        str(python), "-c", f"from importlib.metadata import version; print(version({package!r}))"
    )
    if asked.returncode:
        raise LookupError(f"{package} is not installed")
    return asked.stdout.strip()


def _must(*command: str) -> None:
    ended = _ask(*command)
    if ended.returncode:
        raise LookupError(f"not installed: {ended.stderr.strip()[-300:]}")


def _ask(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)
