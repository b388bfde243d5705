"""What was measured, kept beside the benchmarks: `results.json`, and `results.md` for people."""

import json
import math
import os
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from quoth import __version__

HERE = Path(__file__).parent
JSON = HERE / "results.json"
PAGE = HERE / "results.md"

# What decides the figures beside our own code.
LIBRARIES = ("psycopg", "uvloop", "httptools", "starlette", "fastapi", "pydantic", "httpx2")


@dataclass(frozen=True, slots=True)
class Result:
    """A figure, and its ratio to what it stands beside: a target, or a peer of the same run."""

    name: str
    value: float
    unit: str
    ratio: float
    against: str
    about: str


def against_target(name: str, value: float, unit: str, target: float, about: str) -> Result:
    """A figure beside the one that was promised; a ratio up to 1 keeps the promise."""
    return Result(
        name, round(value, 3), unit, round(value / target, 3), f"{target:g} {unit}", about
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that `share` of them do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * share) - 1)]


def keep(result: Result, postgresql: str) -> None:
    """Print it and put it in the place of the figure of the same name."""
    print(
        f"{result.name:<20}{result.value:>12,.3f} {result.unit:<4} {result.ratio:.3f} of ", end=""
    )
    print(f"{result.against} ({result.about})", flush=True)
    known = {each["name"]: each for each in json.loads(JSON.read_text())} if JSON.exists() else {}
    known[result.name] = {**asdict(result), "at": time.strftime("%Y-%m-%d %H:%M", time.gmtime())}
    JSON.write_text(json.dumps(list(known.values()), ensure_ascii=False, indent=2) + "\n")
    PAGE.write_text(_page(list(known.values()), postgresql))


def _page(rows: Sequence[dict[str, object]], postgresql: str) -> str:
    names = ("name", "value", "unit", "ratio", "against", "about", "at")
    machine = f"{_cpu()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"""# What was measured

`make bench`: everything on one machine, by the product's own commands (`quoth serve`, `quoth work`,
`quoth simulate`), on an embedded database with its durable defaults. `against` is what the ratio is
to: a promised figure, or a peer measured in the same run. Times are UTC.

Last run: {machine}, Python {platform.python_version()}, PostgreSQL {postgresql},
Quoth {__version__}; {libraries}.

| {" | ".join(names)} |
{"|---" * len(names)}|
""" + "".join(f"| {' | '.join(str(row.get(name, '')) for name in names)} |\n" for row in rows)


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "an unnamed processor"
