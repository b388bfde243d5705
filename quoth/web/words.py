"""The pages' words in the reader's language; English is the source, Russian complete."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from gettext import NullTranslations
from importlib.resources import files
from typing import Literal
from zoneinfo import ZoneInfo

from babel.core import Locale
from babel.dates import format_datetime
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from babel.numbers import format_currency, format_decimal
from babel.plural import PluralRule
from starlette.requests import Request

from quoth.capture.views import Money

Language = Literal["en", "ru"]
LANGUAGES: tuple[Language, ...] = ("en", "ru")
COOKIE = "quoth_language"


class Words(NullTranslations):
    """Gettext over a `.po` file, read once at the start."""

    def __init__(self, language: Language, catalog: Catalog | None) -> None:
        super().__init__()
        self.language = language
        self._catalog = catalog
        self._plural: PluralRule = Locale(language).plural_form

    def gettext(self, message: str) -> str:
        """Return the message in this language."""
        found = self._catalog.get(message) if self._catalog else None
        return str(found.string) if found and found.string else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return the form of the message that goes with `n`."""
        found = self._catalog.get(msgid1) if self._catalog else None
        if found and isinstance(found.string, tuple | list) and all(found.string):
            forms = ("one", "few", "many")
            return str(found.string[forms.index(self._plural(n))])
        return msgid1 if n == 1 else msgid2


def load_words() -> Mapping[Language, Words]:
    """Read every language there is."""
    po = files("quoth.web") / "locales" / "ru" / "LC_MESSAGES" / "quoth.po"
    with po.open("rb") as file:
        return {"en": Words("en", None), "ru": Words("ru", read_po(file, locale="ru"))}


def language_of(request: Request) -> Language:
    """By cookie, then by the browser, else English."""
    chosen = request.cookies.get(COOKIE)
    if chosen in LANGUAGES:
        return chosen
    for wanted in request.headers.get("accept-language", "").split(","):
        tag = wanted.split(";")[0].strip()[:2].lower()
        if tag in LANGUAGES:
            return tag
    return "en"


def say_time(at: datetime, language: Language, zone: str) -> str:
    """Say a moment in the workspace's time zone."""
    return format_datetime(at, "d MMM, HH:mm:ss", tzinfo=ZoneInfo(zone), locale=language)


def say_money(money: Money, language: Language) -> str:
    """Say an amount; calls cost fractions of a cent."""
    return format_currency(
        money.amount, money.currency, "0.00## ¤¤", locale=language, currency_digits=False
    )


def say_seconds(took: timedelta | None, language: Language) -> str:
    """Say a duration in seconds."""
    return "" if took is None else format_decimal(round(took.total_seconds(), 1), locale=language)
