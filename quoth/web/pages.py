"""What every page needs: the templates, the words, the headers that keep it harmless."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quoth.accounts.workspace import Workspace
from quoth.capture.engines import Engines
from quoth.capture.views import Money
from quoth.storage import Database
from quoth.web.words import (
    Language,
    Words,
    language_of,
    load_words,
    say_money,
    say_seconds,
    say_time,
)

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    # With `no-referrer` browsers send `Origin: null` from our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class House:
    """What the pages are about, and how they are rendered."""

    database: Database
    workspace: Workspace
    engines: Engines
    templates: Mapping[Language, Environment]

    def render(self, language: Language, template: str, **values: object) -> str:
        """Render a template in a language."""
        return self.templates[language].get_template(template).render(**values)

    def page(
        self, request: Request, template: str, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """Answer with a whole page."""
        language = language_of(request)
        shown = self.render(language, template, path=request.url.path, **values)
        return HTMLResponse(shown, status, {"cache-control": "no-store"})


def open_house(database: Database, workspace: Workspace, engines: Engines) -> House:
    """Load templates and words once."""
    templates = {
        language: _environment(words, workspace.time_zone)
        for language, words in load_words().items()
    }
    return House(database, workspace, engines, templates)


def _environment(words: Words, zone: str) -> Environment:
    environment = Environment(
        loader=PackageLoader("quoth.web"),
        extensions=["jinja2.ext.i18n"],
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.install_gettext_translations(words, newstyle=True)  # type: ignore[attr-defined]

    def time(at: datetime) -> str:
        return say_time(at, words.language, zone)

    def seconds(took: timedelta | None) -> str:
        return say_seconds(took, words.language)

    def money(amount: Money) -> str:
        return say_money(amount, words.language)

    environment.filters |= {"time": time, "seconds": seconds, "money": money}
    environment.globals |= {"language": words.language, "static": partial(static, _digest())}
    return environment


def _digest() -> str:
    """Changes with any of the static files, so that browsers may keep them for ever."""
    digest = hashlib.sha256()
    for file in sorted((files("quoth.web") / "static").iterdir(), key=lambda each: each.name):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def static(version: str, name: str) -> str:
    """Say where a static file is."""
    return f"/static/{name}?v={version}"


class Harmless:
    """Adds the security headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, with the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((name.encode(), value.encode()) for name, value in HEADERS.items()),
                ]
            await send(message)

        await self._app(scope, receive, with_headers)
