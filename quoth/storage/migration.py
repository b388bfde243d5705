"""What a migration is, and whether code and database fit each other."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

FILE = re.compile(r"(?P<version>\d{4})_(?P<name>\w+)\.sql")
FIRST_LINE = re.compile(r"-- compatible-from: (?P<version>\d+)\n")


class SchemaError(Exception):
    """The database's schema and this code do not go together; `message` is one sentence."""

    @property
    def message(self) -> str:
        """What is the matter, and what to do."""
        return str(self)


class DatabaseTooNew(SchemaError):
    """A newer Quoth has changed the database in a way that this one does not know."""


class HistoryDiffers(SchemaError):
    """The database has had other migrations than this code brings."""


class MigrationBlocked(SchemaError):
    """Others held what a migration had to lock; nothing was changed."""


class MigrationFailed(SchemaError):
    """PostgreSQL refused a migration; nothing of it was kept."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A migration that the database has had."""

    version: int
    name: str
    checksum: str
    compatible_from: int


@dataclass(frozen=True, slots=True)
class Migration:
    """A migration that this code brings. `compatible_from`: the oldest code that still runs."""

    version: int
    name: str
    compatible_from: int
    text: str

    @property
    def checksum(self) -> str:
        """Changes whenever the text does."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def __str__(self) -> str:
        return f"{self.version:04}_{self.name}"


def parse_migration(file_name: str, text: str) -> Migration:
    """Read one file; its name gives the number, its first line what code it is compatible from."""
    text = text.replace("\r\n", "\n")
    named, line = FILE.fullmatch(file_name), FIRST_LINE.match(text)
    if named is None or line is None:
        raise ValueError(f"{file_name} is no migration: see the others for name and first line")
    return Migration(int(named["version"]), named["name"], int(line["version"]), text)


def load_migrations() -> tuple[Migration, ...]:
    """Return all that this code brings, in order."""
    found = (files(__package__) / "migrations").iterdir()
    return tuple(
        sorted(
            (
                parse_migration(file.name, file.read_text("utf-8"))
                for file in found
                if file.name.endswith(".sql")
            ),
            key=lambda migration: migration.version,
        )
    )


def pending_of(known: Sequence[Migration], applied: Sequence[Applied]) -> tuple[Migration, ...]:
    """Return what is still to be applied; raises where code and database do not fit."""
    newest = known[-1].version
    compatible_from = max((one.compatible_from for one in applied), default=0)
    if compatible_from > newest:
        raise DatabaseTooNew(
            f"the database is of a newer Quoth (schema {applied[-1].version}, for versions that "
            f"know schema {compatible_from}; this one knows {newest}): upgrade Quoth here too"
        )
    had = {one.version: one for one in applied}
    at = max(had, default=-1)
    for migration in known:
        one = had.pop(migration.version, None)
        if one is None and migration.version < at:
            raise HistoryDiffers(
                f"the database has had migration {at:04} but not {migration}: it belongs to "
                "another line of versions"
            )
        if one is not None and one.checksum != migration.checksum:
            raise HistoryDiffers(
                f"migration {migration} has been edited since this database had it: restore the "
                "file and put the change into a new migration"
            )
    for one in had.values():
        if one.version < newest:
            raise HistoryDiffers(
                f"the database has had migration {one.version:04}_{one.name}, which this code "
                "does not bring: it belongs to another line of versions"
            )
    return tuple(migration for migration in known if migration.version > at)
