"""How good the reader is, on texts that were labelled before it was written."""

import json
from pathlib import Path

import pytest

from quoth.analysis.mentions import Watched, find_mentions

CASES = Path(__file__).parents[3] / "shared" / "cases" / "mentions_dev.jsonl"


@pytest.mark.skipif(not CASES.exists(), reason="the labelled set is not here")
def test_names_and_aliases_alone_find_what_the_documentation_says() -> None:
    right = found = labelled = exact = 0
    for line in CASES.read_text("utf-8").splitlines():
        case = json.loads(line)
        brands = [
            Watched(number, (brand["name"], *brand["aliases"]))
            for number, brand in enumerate(case["brands"])
        ]
        mentions = find_mentions(case["text"], brands)
        left = list(case["expected"])
        found += len(mentions)
        labelled += len(left)
        for mention in mentions:
            for label in left:
                if (
                    label["brand"] == case["brands"][mention.brand_id]["name"]
                    and label["start"] < mention.end
                    and mention.start < label["end"]
                ):
                    right += 1
                    exact += (label["start"], label["end"]) == (mention.start, mention.end)
                    left.remove(label)
                    break

    assert round(right / found, 2) == 0.78
    assert round(right / labelled, 2) == 0.95
    assert round(exact / right, 2) == 0.98
