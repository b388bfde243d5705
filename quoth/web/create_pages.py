"""The pages for people: one table of all that can be asked."""

import asyncio

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Mount, Route

from quoth.accounts.access import AccessRules
from quoth.accounts.workspace import Workspace
from quoth.capture.engines import Engines
from quoth.storage import Database
from quoth.web.assets import URL, Assets, load_assets
from quoth.web.captures.raw import show_raw
from quoth.web.captures.show import show_capture
from quoth.web.checks.cancel import cancel
from quoth.web.checks.events import check_events
from quoth.web.checks.list import list_page
from quoth.web.checks.retry import retry
from quoth.web.checks.show import show_check
from quoth.web.checks.start import start, start_page
from quoth.web.context import Context, context_of
from quoth.web.headers import SecurityHeaders
from quoth.web.pages import load_pages
from quoth.web.problems import HANDLERS
from quoth.web.queue.deeds import discard_jobs, pause, resume, retry_jobs
from quoth.web.queue.show import show_queue
from quoth.web.sign_in import show_sign_in, sign_in, sign_out

SMALLEST_TO_COMPRESS = 1_000


async def icon(request: Request) -> RedirectResponse:
    """Where browsers look for an icon on pages that are not ours."""
    return RedirectResponse(context_of(request).pages.assets["icon.svg"], 307)


def create_pages(
    database: Database,
    workspace: Workspace,
    engines: Engines,
    access: AccessRules | None,
    *,
    closing: asyncio.Event,
) -> Starlette:
    """Return the pages, to be mounted at the root. Raises `PagesNotBuilt`.

    `access` None: nobody needs to sign in. Event streams end when `closing` is set.
    """
    pages = load_pages(workspace.time_zone, load_assets(), sign_in=access is not None)
    application = Starlette(
        routes=[
            Route("/", start_page),
            Route("/checks", list_page),
            Route("/checks", start, methods=["POST"]),
            Route("/checks/{id:int}", show_check),
            Route("/checks/{id:int}/events", check_events),
            Route("/checks/{id:int}/cancel", cancel, methods=["POST"]),
            Route("/checks/{id:int}/retry", retry, methods=["POST"]),
            Route("/captures/{id:int}", show_capture),
            Route("/captures/{id:int}/raw", show_raw),
            Route("/queue", show_queue),
            Route("/queue/pause", pause, methods=["POST"]),
            Route("/queue/resume", resume, methods=["POST"]),
            Route("/queue/retry", retry_jobs, methods=["POST"]),
            Route("/queue/discard", discard_jobs, methods=["POST"]),
            Route("/sign-in", show_sign_in),
            Route("/sign-in", sign_in, methods=["POST"]),
            Route("/sign-out", sign_out, methods=["POST"]),
            Route("/favicon.ico", icon),
            Mount(URL, Assets()),
        ],
        middleware=[
            Middleware(SecurityHeaders),
            Middleware(GZipMiddleware, minimum_size=SMALLEST_TO_COMPRESS),
        ],
        exception_handlers=HANDLERS,
    )
    application.state.context = Context(database, workspace, engines, access, pages, closing)
    return application
