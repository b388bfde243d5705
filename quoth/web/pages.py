"""Renders templates in the reader's language."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from babel.support import NullTranslations
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from quoth.web.say import Say
from quoth.web.sayings import Sayings
from quoth.web.words import COOKIE, LANGUAGES, Language, asked_language, language_of, load_words

A_YEAR = 365 * 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Speech:
    """All that depends on one language."""

    language: Language
    words: NullTranslations
    say: Say
    sayings: Sayings
    templates: Environment


@dataclass(frozen=True, slots=True)
class Pages:
    """The templates, in each language."""

    speeches: Mapping[Language, Speech]
    sign_in: bool
    assets: Mapping[str, str] = field(repr=False)

    def speech(self, request: Request) -> Speech:
        """The language of this reader."""
        return self.speeches[language_of(request)]

    def fragment(self, speech: Speech, template: str, **values: object) -> str:
        """Render a part of a page."""
        return speech.templates.get_template(template).render(**values)

    def page(
        self, request: Request, template: str, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """Render a page; a language chosen by it is kept."""
        speech = self.speech(request)
        html = self.fragment(
            speech,
            template,
            path=request.url.path,
            other_languages=_other_languages(request, speech.language),
            now=datetime.now(UTC),
            sign_out=self.sign_in,
            **values,
        )
        response = HTMLResponse(html, status, {"vary": "cookie, accept-language"})
        if chosen := asked_language(request):
            secure = request.url.scheme == "https"
            response.set_cookie(
                COOKIE, chosen, max_age=A_YEAR, httponly=True, samesite="lax", secure=secure
            )
        return response


def load_pages(zone: str, assets: Mapping[str, str], *, sign_in: bool) -> Pages:
    """Read catalogues and templates; `zone` is the workspace's time zone."""
    speeches = {language: _speech(language, ZoneInfo(zone), assets) for language in LANGUAGES}
    return Pages(speeches, sign_in, assets)


def _speech(language: Language, zone: ZoneInfo, assets: Mapping[str, str]) -> Speech:
    words, say = load_words(language), Say(language, zone)
    sayings = Sayings(words)
    templates = Environment(
        loader=PackageLoader("quoth.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals.update(
        _=partial(_said, words),
        ngettext=partial(_counted, words, say),
        language=language,
        say=say,
        sayings=sayings,
        assets=assets,
        zone=zone.key,
    )
    return Speech(language, words, say, sayings, templates)


def _said(words: NullTranslations, message: str, **gaps: object) -> Markup:
    """The message with its gaps filled; what fills them is text, never markup."""
    return Markup(words.gettext(message)) % gaps  # noqa: S704 - the catalogue is ours


def _counted(
    words: NullTranslations, say: Say, one: str, many: str, number: int, **gaps: object
) -> Markup:
    """The form of the message that goes with the number, which fills `num`."""
    message = Markup(words.ngettext(one, many, number))  # noqa: S704 - the catalogue is ours
    return message % {"num": say.number(number), **gaps}


def _other_languages(request: Request, now: Language) -> list[tuple[Language, str, str]]:
    """Code, name and the address of this page in each language but the present one."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "lang"]
    path = request.url.path if request.method == "GET" else "/"
    return [
        (code, name, f"{path}?{urlencode([*kept, ('lang', code)])}")
        for code, name in LANGUAGES.items()
        if code != now
    ]
