"""What a call cost, and when the table says nothing."""

from decimal import Decimal
from typing import Any

import pytest

from quoth.providers.prices import list_price

USAGE = {"input_tokens": 30_000, "output_tokens": 2_000}


def cost(model: str, usage: dict[str, Any], **call: Any) -> Decimal | None:
    found = list_price(model, usage, **{"searches": 2, "tier": "default", **call})
    return found.amount if found else None


def test_tokens_and_searches_are_added_up() -> None:
    assert cost("gpt-5-2025-08-07", USAGE) == Decimal("0.0775")


def test_cached_tokens_cost_their_own_price() -> None:
    usage = USAGE | {"input_tokens_details": {"cached_tokens": 20_000}}

    assert cost("gpt-5.5", usage) == Decimal("0.14")


@pytest.mark.parametrize(
    ("model", "usage", "call"),
    [
        ("gpt-5.6-sol", USAGE, {}),
        ("gpt-5-mini-2025-08-07", USAGE, {}),
        ("gpt-5", {}, {}),
        ("gpt-5", {"input_tokens": True, "output_tokens": 1}, {}),
        ("gpt-5", USAGE, {"tier": "flex"}),
        ("gpt-5", USAGE | {"input_tokens_details": {"cached_tokens": 1}}, {}),
        ("gpt-5.5", USAGE | {"input_tokens_details": {"cache_write_tokens": 1}}, {}),
    ],
)
def test_what_is_not_in_the_table_has_no_price(
    model: str, usage: dict[str, Any], call: dict[str, Any]
) -> None:
    assert cost(model, usage, **call) is None
