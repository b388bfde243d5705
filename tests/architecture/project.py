"""Where things are in the repository, for the tests that hold it to its rules."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "quoth"
MODULES = sorted(PACKAGE.rglob("*.py"))
STATEMENTS = sorted(PACKAGE.rglob("sql/*.sql"))
MIGRATIONS = sorted((PACKAGE / "storage" / "migrations").glob("*.sql"))


def name_of(path: Path) -> str:
    """Name a file as people name it: from the package on."""
    return path.relative_to(PACKAGE).as_posix()
