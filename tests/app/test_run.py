import os
from pathlib import Path

import pytest

from quoth.app.errors import CannotStart
from quoth.app.run import serve
from quoth.settings.read import read_settings


async def test_a_copy_whose_pages_were_never_built_says_so_and_makes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("quoth.web.assets.DIST", tmp_path / "dist")
    data = tmp_path / "data"
    settings = read_settings(
        ["chatgpt", "perplexity"],
        environment={"QUOTH_DATA_DIR": str(data), "QUOTH_CONFIG": os.devnull},
    )

    with pytest.raises(CannotStart, match="make setup"):
        await serve(settings, demo=True, announce=print)

    assert not data.exists()
