"""Pages for what went wrong: what it is, and what to do about it."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quoth.storage import DatabaseUnavailable, NotFound
from quoth.web.context import context_of

# Told to a browser that asks again by itself.
BACK_SOON = {"retry-after": "5"}


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    response = _problem(request, status)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)
    return response


async def _not_found(request: Request, error: Exception) -> Response:
    return _problem(request, 404)


async def _unavailable(request: Request, error: Exception) -> Response:
    response = _problem(request, 503)
    response.headers.update(BACK_SOON)
    return response


async def _broken(request: Request, error: Exception) -> Response:
    return _problem(request, 500)


def _problem(request: Request, status: int) -> Response:
    return context_of(request).pages.page(request, "problem.html", status=status, problem=status)


HANDLERS = {
    HTTPException: _refused,
    NotFound: _not_found,
    DatabaseUnavailable: _unavailable,
    500: _broken,
}
