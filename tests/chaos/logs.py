"""What the workers said: events by name, and those that must never be."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

# What a handler or a save raised that nobody foresaw.
NEVER = frozenset({"job.crashed", "job.not_saved", "api.failed"})
# What a loop may fail of while the database is struck.
OUTAGE = "DatabaseUnavailable"
LONGEST = 3000


def read_logs(folder: Path) -> tuple[Counter[str], list[str]]:
    """How often each event was told, and what is wrong with them; a traceback follows its event."""
    told: Counter[str] = Counter()
    wrong: list[str] = []
    for path in sorted(folder.glob("worker-*.log")):
        for event, after in _events(path):
            told[event] += 1
            if event in NEVER or (event == "loop.failed" and OUTAGE not in after):
                wrong.append(f"{path.name}: {after[:LONGEST]}")
    return told, wrong


def _events(path: Path) -> Iterator[tuple[str, str]]:
    """Each event's name with its line and what follows up to the next one."""
    name, lines = "", list[str]()
    for line in path.read_text("utf-8", "replace").splitlines():
        found = _event(line)
        if found is None:
            lines.append(line)
            continue
        if name:
            yield name, "\n".join(lines)
        name, lines = found, [line]
    if name:
        yield name, "\n".join(lines)


def _event(line: str) -> str | None:
    if not line.startswith('{"at"'):
        return None
    try:
        return str(json.loads(line)["event"])
    except (ValueError, KeyError):
        return None
