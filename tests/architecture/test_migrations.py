"""Migrations are numbered, wait for no lock for long, and say which code may still run."""

import re
from pathlib import Path

import pytest

from tests.architecture.project import MIGRATIONS


def number(migration: Path) -> int:
    return int(migration.name.partition("_")[0])


def test_they_are_one_sequence() -> None:
    assert [number(migration) for migration in MIGRATIONS] == list(range(len(MIGRATIONS)))
    assert len(MIGRATIONS) >= 5


@pytest.mark.parametrize("migration", MIGRATIONS, ids=lambda path: path.stem)
def test_each_gives_up_on_a_lock_before_it_holds_up_the_others(migration: Path) -> None:
    lines = migration.read_text("utf-8").splitlines()

    assert re.fullmatch(r"set lock_timeout = '[1-9]s';", lines[1])


@pytest.mark.parametrize("migration", MIGRATIONS, ids=lambda path: path.stem)
def test_each_says_first_from_which_version_on_code_may_run(migration: Path) -> None:
    first = migration.read_text("utf-8").splitlines()[0]

    compatible = re.fullmatch(r"-- compatible-from: (\d+)", first)

    assert compatible is not None
    assert int(compatible[1]) <= number(migration)
