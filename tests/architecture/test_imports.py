"""The import contracts hold, and they are not blind: each is broken here on purpose."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.project import MODULES, PACKAGE, ROOT

# A module, what it must not import, and the contract that says so.
BREAKS = (
    ("queue/job.py", "quoth.brands.brand", "Rooms only look down, never sideways"),
    ("analysis/mentions.py", "quoth.storage", "Analysis is pure: it imports nothing of ours"),
    ("simulator/app.py", "quoth.loops", "The simulator shares nothing with what it tests"),
    ("capture/views.py", "quoth.simulator.app", "Only app and cli start the simulator"),
    ("queue/claim.py", "psycopg", "Only storage speaks to PostgreSQL"),
    ("web/pages.py", "httpx2", "Only providers speak HTTP outwards"),
    ("web/pages.py", "fastapi", "FastAPI only in the API"),
    ("api/problems.py", "jinja2", "Jinja only in the pages"),
)


def contracts_of(folder: Path) -> dict[str, str]:
    """What import-linter says of the package in `folder`: KEPT or BROKEN, by contract."""
    program = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run(
        [program, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )
    return dict(re.findall(r"^(.+) (KEPT|BROKEN)(?: .*)?$", run.stdout, re.MULTILINE))


def test_every_contract_holds() -> None:
    contracts = contracts_of(ROOT)

    assert set(contracts.values()) == {"KEPT"}
    assert {contract for _, _, contract in BREAKS} == set(contracts)


@pytest.mark.slow
def test_every_contract_notices_its_break(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module in MODULES:
        copy = tmp_path / "quoth" / module.relative_to(PACKAGE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(module, copy)
    for name, imported, _ in BREAKS:
        with (tmp_path / "quoth" / name).open("a", encoding="utf-8") as file:
            file.write(f"\nimport {imported}\n")

    assert set(contracts_of(tmp_path).values()) == {"BROKEN"}
