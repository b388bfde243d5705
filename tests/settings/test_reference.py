from pathlib import Path

from quoth.settings.reference import tables
from tests.snapshots import assert_kept

DOCS = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_documentation_lists_every_setting_as_the_code_describes_it() -> None:
    kept = DOCS.read_text("utf-8")
    words = kept[: kept.index("## The process")]

    assert_kept(DOCS, words + tables())
