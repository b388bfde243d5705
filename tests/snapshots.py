"""Text kept in the repository that a test compares with what the code says today."""

import os
from pathlib import Path


def assert_kept(file: Path, text: str) -> None:
    """Compare; with UPDATE_SNAPSHOTS=1 in the environment, write instead."""
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        file.write_text(text, "utf-8")
    kept = file.read_text("utf-8") if file.exists() else ""
    assert kept == text, f"{file.name} has changed: run the test with UPDATE_SNAPSHOTS=1, then look"
