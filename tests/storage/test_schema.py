"""`schema.sql` shows the schema that the migrations make."""

import re
import subprocess
from pathlib import Path

import quoth.storage
from quoth.storage.embedded.programs import installed_programs
from tests.snapshots import assert_kept

SNAPSHOT = Path(quoth.storage.__file__).parent / "schema.sql"
HEAD = (
    "-- What the migrations make, for reading: nothing is ever made from this file.\n"
    "-- A test keeps it true and, with UPDATE_SNAPSHOTS=1, writes it.\n\n"
)


def test_the_snapshot_is_the_migrated_schema(database_url: str) -> None:
    assert_kept(SNAPSHOT, schema_of(database_url))


def schema_of(url: str) -> str:
    dumped = subprocess.run(
        (installed_programs()["pg_dump"], "--schema-only", "--no-owner", "--no-privileges", url),
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    kept = [line for line in dumped.splitlines() if not re.match(r"--|\\|SET |SELECT pg_cat", line)]
    return HEAD + re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() + "\n"
