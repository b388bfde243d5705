"""What OpenAI's calls cost, where its replies do not say: list prices as found, with the day.

Never a guess: what is not in the table, or was billed by another rule, has no price.
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from quoth.providers.contract import Cost
from quoth.providers.json_body import integer, obj
from quoth.providers.same_model import undated

MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """US dollars a million tokens; `cached` None is a price that was not found."""

    found: date
    input: Decimal
    output: Decimal
    cached: Decimal | None = None


TOKENS = {
    "gpt-5.5": TokenPrice(date(2026, 5, 22), Decimal(5), Decimal(30), Decimal("0.50")),
    "gpt-5.4": TokenPrice(date(2026, 5, 22), Decimal("2.50"), Decimal(15)),
    "gpt-5": TokenPrice(date(2026, 5, 22), Decimal("1.25"), Decimal(10)),
}

# US dollars a web search; found 2026-03-12.
SEARCH = Decimal("0.01")


def list_price(model: str, usage: dict[str, Any], *, searches: int, tier: object) -> Cost | None:
    """Return what a call of `model` cost by the table, or None where the table cannot say."""
    price = TOKENS.get(undated(model))
    read = integer(usage.get("input_tokens"))
    written = integer(usage.get("output_tokens"))
    if price is None or read is None or written is None or tier not in (None, "auto", "default"):
        return None
    details = obj(usage.get("input_tokens_details"))
    cached = integer(details.get("cached_tokens")) or 0
    if (cached and price.cached is None) or details.get("cache_write_tokens"):
        return None
    tokens = (read - cached) * price.input + cached * (price.cached or 0) + written * price.output
    return Cost(tokens / MILLION + searches * SEARCH, "USD", "price_table")
