from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from quoth.capture.views.shapes import Money
from quoth.web.say import Say

EN, RU = Say("en", ZoneInfo("Europe/Moscow")), Say("ru", ZoneInfo("Europe/Moscow"))


@pytest.mark.parametrize(
    ("seconds", "english", "russian"),
    [
        (0, "0 sec", "0 с"),
        (8.24, "8.2 sec", "8,2 с"),
        (42.4, "42 sec", "42 с"),
        (125, "2 min 5 sec", "2 мин 5 с"),
        (11_520, "3 hr 12 min", "3 ч 12 мин"),
    ],
)
def test_durations(seconds: float, english: str, russian: str) -> None:
    took = timedelta(seconds=seconds)

    assert EN.duration(took).replace("\u202f", " ") == english
    assert RU.duration(took).replace("\u202f", " ") == russian


@pytest.mark.parametrize(
    ("amount", "currency", "english", "russian"),
    [
        ("0.0123000", "USD", "$0.0123", "0,0123\u00a0$"),
        ("0", "USD", "$0.00", "0,00\u00a0$"),
        ("1234.5", "EUR", "€1,234.50", "1\u00a0234,50\u00a0€"),
        ("12", "RUB", "RUB12.00", "12,00\u00a0₽"),
    ],
)
def test_money(amount: str, currency: str, english: str, russian: str) -> None:
    money = Money(Decimal(amount), currency)

    assert EN.money(money).replace("\u00a0", "") == english
    assert RU.money(money) == russian


def test_times_are_those_of_the_workspace() -> None:
    today = datetime.now(ZoneInfo("Europe/Moscow")).replace(hour=14, minute=5, second=3)

    assert EN.time(today.astimezone(UTC)) == "14:05:03"
    assert RU.time(datetime(2024, 2, 29, 22, 30, tzinfo=UTC)) == "1 мар. 2024, 01:30"
    assert EN.time(datetime(2024, 2, 29, 22, 30, tzinfo=UTC)) == "1 Mar 2024, 01:30"


def test_a_time_of_the_next_hours_needs_no_day_and_one_that_is_over_is_told_apart() -> None:
    soon = datetime.now(UTC) + timedelta(hours=11)

    assert len(RU.time(soon)) == len("14:05:03")
    assert not RU.is_past(soon)
    assert RU.is_past(datetime.now(UTC) - timedelta(seconds=1))


def test_a_day_is_that_of_the_workspace() -> None:
    late = datetime(2024, 2, 29, 22, 30, tzinfo=UTC)

    assert RU.day(late) == "1 марта 2024"
    assert EN.day(late) == "1 March 2024"
