"""The page about engines says what the code does."""

from pathlib import Path

import pytest

from quoth.providers.refusal import GATEWAY_LOST_IT
from quoth.providers.registry import ADAPTERS

PAGE = (Path(__file__).parents[2] / "docs" / "engines.md").read_text()


@pytest.mark.parametrize("engine", ADAPTERS)
def test_the_page_knows_each_engine_s_defaults(engine: str) -> None:
    adapter = ADAPTERS[engine]
    header = next(line for line in PAGE.splitlines() if line.startswith("| | "))
    column = [cell.strip() for cell in header.split("|")].index(adapter.title)
    rows = {
        cells[1].strip(): cells[column].strip()
        for cells in (line.split("|") for line in PAGE.splitlines())
        if len(cells) > column
    }

    assert rows["engine, surface"] == f"`{adapter.engine}`, `{adapter.surface}`"
    assert rows["base URL"] == f"`{adapter.base_url}`"
    assert rows["model, unless set"] == f"`{adapter.model}`"
    assert rows["a call may take, until its id is known"] == f"{adapter.create.seconds} s"
    assert rows["a try may take"] == f"{adapter.deadline.seconds // 60} min"
    assert rows["asked at once, by all processes together"] == str(adapter.slots)


def test_the_page_names_every_status_that_leaves_a_purchase_open() -> None:
    row = next(line for line in PAGE.splitlines() if "`Unknown`: it may have" in line)

    assert all(str(status) in row for status in GATEWAY_LOST_IT)
