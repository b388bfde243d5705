"""The pages' words in the reader's language: English is the source, Russian a catalogue of it."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Literal, cast

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import NullTranslations, Translations
from starlette.requests import HTTPConnection

Language = Literal["en", "ru"]
LANGUAGES: Mapping[Language, str] = {"en": "English", "ru": "Русский"}
COOKIE = "quoth_language"
LOCALES = Path(__file__).parent / "locales"


def load_words(language: Language) -> NullTranslations:
    """The catalogue, read once at the start; the source needs none."""
    if language == "en":
        return NullTranslations()
    compiled = BytesIO()
    with (LOCALES / language / "LC_MESSAGES" / "quoth.po").open("rb") as catalogue:
        write_mo(compiled, read_po(catalogue, locale=language))
    compiled.seek(0)
    return Translations(compiled)


def asked_language(request: HTTPConnection) -> Language | None:
    """The language that this very request chooses, which is then kept."""
    return _known(request.query_params.get("lang", ""))


def language_of(request: HTTPConnection) -> Language:
    """As asked now, as chosen before, as the browser prefers, else English."""
    return (
        asked_language(request)
        or _known(request.cookies.get(COOKIE, ""))
        or _preferred(request.headers.get("accept-language", ""))
        or "en"
    )


def _preferred(header: str) -> Language | None:
    wanted: list[tuple[float, Language]] = []
    for part in header.split(",")[:20]:
        tag, _, weight = part.partition(";")
        language = _known(tag.strip().lower().partition("-")[0])
        if language is not None:
            wanted.append((_weight(weight), language))
    best = max(wanted, key=lambda each: each[0], default=(0.0, None))
    return best[1] if best[0] > 0 else None


def _weight(text: str) -> float:
    name, _, value = text.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


def _known(language: str) -> Language | None:
    return cast("Language", language) if language in LANGUAGES else None
