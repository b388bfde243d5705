"""Purchases on disk, so that a simulated engine outlives its process as a real one does."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any


class Journal:
    """A file of JSON lines."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        # Unbuffered: a line is out of our hands before the buyer hears of it.
        self._file = path.open("ab", buffering=0)
        # The last line may have been cut off by a crash: the next one starts anew.
        self._file.write(b"\n")

    def read(self) -> Iterator[Mapping[str, Any]]:
        """Return what was written, but for a line that a crash cut off."""
        for line in self._path.read_bytes().splitlines():
            with suppress(ValueError):
                yield json.loads(line)

    def write(self, entry: Mapping[str, Any]) -> None:
        """Add an entry; it is there when this returns, also after a `kill -9`."""
        self._file.write(json.dumps(entry).encode() + b"\n")

    def clear(self) -> None:
        """Forget everything."""
        self._file.truncate(0)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
