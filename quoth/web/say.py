"""How times, durations, numbers and money are said in a language."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from babel.core import Locale
from babel.dates import format_date, format_datetime, format_time
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent, parse_pattern
from babel.units import format_unit

from quoth.capture.views.shapes import Money
from quoth.web.words import Language

# One call costs a fraction of a cent: a price has as many digits as it needs, up to these.
FRACTION = (2, 6)
# A time that comes within these says its day by itself.
SOON = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Say:
    """Says things in `language`, times in the time zone of the workspace."""

    language: Language
    zone: ZoneInfo

    def time(self, at: datetime) -> str:
        """Say a moment: of today, and of the hours to come, the time alone."""
        local, now = at.astimezone(self.zone), datetime.now(self.zone)
        if local.date() == now.date() or now < local < now + SOON:
            return format_time(local, "HH:mm:ss", tzinfo=self.zone, locale=self.language)
        return self.moment(at)

    def moment(self, at: datetime) -> str:
        """Say a moment with its day."""
        year = "" if at.year == datetime.now(self.zone).year else " y"
        form = f"d MMM{year}, HH:mm"
        return format_datetime(at, form, tzinfo=self.zone, locale=self.language)

    def day(self, at: datetime) -> str:
        """Say the day of a moment, year and all."""
        return format_date(at.astimezone(self.zone).date(), "d MMMM y", locale=self.language)

    def duration(self, took: timedelta) -> str:
        """Say a duration: `8.2 sec`, `2 min 5 sec`, `3 hr 10 min`."""
        seconds = took.total_seconds()
        if seconds < 60:
            return self._unit(round(seconds, 1 if seconds < 10 else 0), "second")
        minutes, rest = divmod(round(seconds), 60)
        if minutes < 60:
            return f"{self._unit(minutes, 'minute')} {self._unit(rest, 'second')}"
        hours, minutes = divmod(minutes, 60)
        return f"{self._unit(hours, 'hour')} {self._unit(minutes, 'minute')}"

    def elapsed(self, since: datetime) -> str:
        """Say how long ago it was, in whole seconds."""
        past = max(timedelta(0), datetime.now(UTC) - since)
        return self.duration(timedelta(seconds=int(past.total_seconds())))

    def is_past(self, at: datetime) -> bool:
        """Whether a moment is over, so that nothing is said to follow then."""
        return at <= datetime.now(UTC)

    def number(self, number: int) -> str:
        """Say a whole number."""
        return format_decimal(number, locale=self.language)

    def share(self, part: int, whole: int) -> str:
        """Say a part of a whole in percent."""
        return format_percent(part / whole, locale=self.language)

    def money(self, money: Money) -> str:
        """Say an amount."""
        locale = Locale(self.language)
        pattern = parse_pattern(locale.currency_formats["standard"].pattern)
        pattern.frac_prec = FRACTION
        said: str = pattern.apply(
            money.amount, locale, currency=money.currency, currency_digits=False
        )
        return said

    def amounts(self, amounts: Sequence[Money]) -> str:
        """Say what was paid in each currency."""
        return ", ".join(map(self.money, amounts))

    def names(self, names: Sequence[str]) -> str:
        """Say a list."""
        return format_list(list(names), locale=self.language)

    def language_name(self, code: str) -> str:
        """Say the name of a language."""
        return str(Locale(self.language).languages.get(code, code))

    def country_name(self, code: str) -> str:
        """Say the name of a country."""
        return str(Locale(self.language).territories.get(code, code))

    def _unit(self, number: float, unit: str) -> str:
        number = int(number) if float(number).is_integer() else number
        said = format_unit(number, f"duration-{unit}", "short", locale=self.language)
        # A number stays with its unit; in a narrow cell a full space is too wide.
        return said.replace(" ", "\u202f").replace("\u00a0", "\u202f")
