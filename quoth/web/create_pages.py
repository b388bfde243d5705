"""The pages for people: one route table."""

import asyncio
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from quoth.accounts.access import AccessRules
from quoth.accounts.workspace import Workspace
from quoth.capture.engines import Engines
from quoth.storage import Database, DatabaseUnavailable, NotFound
from quoth.web.answer_page import answer_page, raw_body
from quoth.web.check_events import check_events
from quoth.web.check_page import cancel, check_page, retry
from quoth.web.pages import Harmless, House, open_house
from quoth.web.sign_in import ask_token, take_token
from quoth.web.start_page import checks_page, start, start_page
from quoth.web.words import COOKIE, LANGUAGES

YEAR = 365 * 24 * 3600


def create_pages(
    database: Database,
    workspace: Workspace,
    engines: Engines,
    access: AccessRules | None,
    *,
    closing: asyncio.Event,
) -> Starlette:
    """Return the pages, to be mounted at `/`. Live streams end when `closing` is set.

    `access` is given where people must sign in.
    """
    house = open_house(database, workspace, engines)
    routes = [
        Route("/", partial(start_page, house)),
        Route("/checks", partial(checks_page, house)),
        Route("/checks", partial(start, house), methods=["POST"]),
        Route("/checks/{check_id:int}", partial(check_page, house)),
        Route("/checks/{check_id:int}/events", partial(check_events, house, closing)),
        Route("/checks/{check_id:int}/cancel", partial(cancel, house), methods=["POST"]),
        Route("/checks/{check_id:int}/retry", partial(retry, house), methods=["POST"]),
        Route("/captures/{capture_id:int}", partial(answer_page, house)),
        Route("/captures/{capture_id:int}/raw", partial(raw_body, house)),
        Route("/language", choose_language, methods=["POST"]),
        Mount("/static", StaticFiles(packages=[("quoth.web", "static")])),
    ]
    if access is not None:
        routes += [
            Route("/sign-in", partial(ask_token, house)),
            Route("/sign-in", partial(take_token, house, access), methods=["POST"]),
        ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Harmless)],
        exception_handlers={
            404: partial(not_found, house),
            NotFound: partial(not_found, house),
            DatabaseUnavailable: partial(database_away, house),
        },
    )


async def not_found(house: House, request: Request, error: Exception) -> Response:
    """Answer for what is not there."""
    return house.page(request, "not_found.html", status=404)


async def database_away(house: House, request: Request, error: Exception) -> Response:
    """Answer while the database is away."""
    return house.page(request, "database_away.html", status=503)


async def choose_language(request: Request) -> Response:
    """POST /language: remember it and go back."""
    form = await request.form()
    language, back = str(form.get("language", "")), str(form.get("back", "/"))
    safe = back.startswith("/") and not back.startswith(("//", "/\\"))
    response = RedirectResponse(back if safe else "/", status_code=303)
    if language in LANGUAGES:
        response.set_cookie(COOKIE, language, max_age=YEAR, samesite="lax", httponly=True)
    return response
