from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from quoth.capture.views.shapes import Money
from quoth.cli import words
from tests.cli.harness import capture_view


def test_text_of_others_cannot_speak_to_the_terminal() -> None:
    assert words.plain("a\x1b[31mred\x07\r\n\u202eback") == "a [31mred    back"


def test_long_text_is_cut_with_a_sign() -> None:
    assert words.short("a" * 10, 5) == "aaaa…"
    assert words.short("aaaaa", 5) == "aaaaa"


def test_unknown_cost_is_not_nothing() -> None:
    assert words.cost(()) == "unknown"
    assert words.cost((Money(Decimal("0.0300"), "USD"),), 2) == (
        "0.03 USD, and 2 more at a price not known"
    )
    assert words.cost((Money(Decimal("0.0300"), "USD"), Money(Decimal(100), "RUB"))) == (
        "0.03 USD, 100 RUB"
    )


@pytest.mark.parametrize(
    ("duration", "said"),
    [(None, ""), (timedelta(seconds=7.4), "7s"), (timedelta(seconds=125), "2m 05s")],
)
def test_a_duration_is_said_short(duration: timedelta | None, said: str) -> None:
    assert words.took(duration) == said


def test_a_waiting_capture_says_which_try_when_and_why() -> None:
    waiting = capture_view(
        outcome=None,
        state="waiting",
        tries=2,
        reason="Perplexity asked us to slow down",
        due_at=datetime.now(UTC) + timedelta(seconds=90.2),
    )

    assert words.state(waiting) == (
        "waiting, try 2 of 4, next in 1m 30s, Perplexity asked us to slow down"
    )


def test_nobody_and_not_known_are_different() -> None:
    assert words.named(capture_view()) == "Точка x3, Сбербанк"
    assert words.named(capture_view(named=())) == "nobody"
    assert words.named(capture_view(outcome="refused", named=())) == "-"
    assert words.named(capture_view(outcome=None, state="running", named=())) == "-"
