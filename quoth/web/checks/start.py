"""The start page, and what its form does: start a check."""

import secrets
from collections.abc import Iterable
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quoth.capture.new_check import MOST_SAMPLES, BadCheck, IdempotencyConflict
from quoth.capture.prompts import COUNTRIES, LANGUAGES
from quoth.capture.start_check import start_check
from quoth.capture.views.load_check import list_checks
from quoth.providers.contract import SIMULATOR
from quoth.web.checks.typed import COUNTRIES as USUAL_COUNTRIES
from quoth.web.checks.typed import Typed
from quoth.web.context import Context, context_of
from quoth.web.forms import read_form

RECENT = 8
# Which fields of the form a refusal speaks of; what is said of any other stands above the form.
FIELDS = ("brand", "competitors", "prompts", "engines", "samples")


async def start_page(request: Request) -> Response:
    """An empty form, every ready engine chosen, and the latest checks."""
    context = context_of(request)
    language = context.pages.speech(request).language
    typed = Typed(
        key=_new_key(),
        language=language,
        country=USUAL_COUNTRIES[language],
        engines=tuple(context.engines.ready),
    )
    return await _form(context, request, typed)


async def start(request: Request) -> Response:
    """Start the check and go to its page. The same form again goes to the same check."""
    context = context_of(request)
    typed = Typed.of(await read_form(request))
    try:
        started = await start_check(
            context.database, context.workspace, context.engines, typed.check()
        )
    except BadCheck as error:
        said = context.pages.speech(request).sayings.refusal(error.message)
        field = error.field if error.field in FIELDS else "form"
        return await _form(context, request, typed, errors={field: said})
    except IdempotencyConflict:
        renewed = replace(typed, key=_new_key())
        return await _form(context, request, renewed, status=409)
    return RedirectResponse(f"/checks/{started.check.id}", 303)


async def _form(
    context: Context,
    request: Request,
    typed: Typed,
    *,
    errors: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    async with context.database.autocommit() as tx:
        recent = await list_checks(tx, context.workspace, limit=RECENT)
    say = context.pages.speech(request).say
    simulated = {
        name
        for name, provider in context.engines.ready.items()
        if provider.route.surface == SIMULATOR
    }
    return context.pages.page(
        request,
        "checks/start.html",
        status=422 if errors else status,
        typed=typed,
        errors=errors or {},
        used_before=status == 409,
        known=tuple(context.engines.known.values()),
        ready=frozenset(context.engines.ready),
        simulated=simulated,
        languages=_by_name((code, say.language_name(code)) for code in LANGUAGES),
        countries=_by_name((code, say.country_name(code)) for code in COUNTRIES),
        most_samples=MOST_SAMPLES,
        checks=recent,
        title_of=context.engines.title,
    )


def _by_name(named: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(named, key=lambda each: each[1].casefold())


def _new_key() -> str:
    return secrets.token_urlsafe(16)
