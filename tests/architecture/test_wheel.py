"""What is published is a wheel: it builds, installs into nothing, and works from there."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quoth import __version__
from tests.architecture.project import MIGRATIONS, ROOT, STATEMENTS, name_of

UV = Path(sys.executable).with_name("uv")
LEFT_BEHIND = shutil.ignore_patterns(
    ".*", "__pycache__", "node_modules", "dist", "tests", "bench", "docs"
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def run(*command: str | Path, **environment: str) -> str:
    """Run a command as someone does who has none of our variables set; return what it printed."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("QUOTH_")}
    done = subprocess.run(
        command, env=ours | environment, cwd="/", capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A place that the system user of the embedded server can look into, too."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-wheel-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    """Built in a copy, so that what was built here before can neither help nor be harmed."""
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=LEFT_BEHIND)
    run(UV, "build", "--quiet", "--wheel", "--out-dir", folder / "dist", source)
    [wheel] = (folder / "dist").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def quoth(folder: Path, wheel: Path) -> Path:
    """The installed command, with the dependencies at the versions of the lock."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    pinned = folder / "pinned.txt"
    pinned.write_text("\n".join(re.findall(r"^[a-z0-9][^\\\n]+", lock, re.MULTILINE)))
    environment = folder / "environment"
    run(UV, "venv", "--quiet", "--python", sys.executable, environment)
    python = environment / "bin" / "python"
    run(UV, "pip", "install", "--quiet", "--python", python, "--constraint", pinned, wheel)
    return environment / "bin" / "quoth"


def test_the_wheel_has_every_statement_migration_template_and_built_page(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    needed = {f"quoth/{name_of(file)}" for file in (*STATEMENTS, *MIGRATIONS)}
    needed |= {f"quoth/{name_of(file)}" for file in (ROOT / "quoth/web/templates").rglob("*.html")}
    assert needed - names == set()
    assert any(re.fullmatch(r"quoth/web/static/dist/[\w.-]+\.js", name) for name in names)
    assert any(re.fullmatch(r"quoth/web/static/dist/[\w.-]+\.css", name) for name in names)
    assert [name for name in names if not name.startswith(("quoth/", "quoth-"))] == []


def test_it_installs_into_an_empty_environment_and_runs_a_check_there(
    folder: Path, quoth: Path
) -> None:
    data = {"QUOTH_DATA_DIR": str(folder / "data")}

    assert run(quoth, "--version").strip() == f"quoth, version {__version__}"
    assert str(folder / "data") in run(quoth, "config", **data)
    document = json.loads(
        run(quoth, "check", "Best bank?", "--brand", "Tochka", "--demo", "--json", **data)
    )
    assert document["state"] == "complete"
    assert len(document["captures"]) == 2
