import subprocess
import sys
from pathlib import Path

import pytest

import quoth
from quoth.cli.main import COMMANDS
from tests.cli import harness
from tests.snapshots import assert_kept

KEPT = Path(__file__).parent / "help"
DATABASE = ("status", "migrate", "dump")


@pytest.mark.parametrize(
    "words", [(), *((name,) for name in COMMANDS), *(("database", name) for name in DATABASE)]
)
def test_the_help_is_what_was_last_looked_at(words: tuple[str, ...]) -> None:
    shown = harness.quoth(*words, "--help")

    assert shown.exit_code == 0
    assert_kept(KEPT / f"{'-'.join(('quoth', *words))}.txt", shown.output)


def test_the_version_is_the_package_s() -> None:
    assert harness.quoth("--version").output == f"quoth, version {quoth.__version__}\n"


def test_a_command_that_is_none_ends_with_2() -> None:
    refused = harness.quoth("frobnicate")

    assert refused.exit_code == 2
    assert "No such command 'frobnicate'" in refused.output


def test_no_secret_can_be_typed_where_others_see_it() -> None:
    for name in COMMANDS:
        assert "token" not in harness.quoth(name, "--help").output.replace("access_token", "")
        assert "api-key" not in harness.quoth(name, "--help").output


def test_showing_help_loads_none_of_the_rooms() -> None:
    look = (
        "import sys; from click.testing import CliRunner; from quoth.cli.main import cli;"
        "CliRunner().invoke(cli, ['--help']);"
        "print(*{'psycopg', 'fastapi', 'pydantic', 'rich', 'uvicorn', 'httpx2', 'asyncio'}"
        " & set(sys.modules))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == ""
