"""GET and POST /sign-in: where an access token is asked for."""

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quoth.accounts.access import SESSION_COOKIE, SESSION_LASTS, AccessRules
from quoth.web.pages import House


async def ask_token(house: House, request: Request) -> Response:
    """The form."""
    return house.page(request, "sign_in.html", wrong=False, next=_next(request))


async def take_token(house: House, access: AccessRules, request: Request) -> Response:
    """A session for whoever knows the token."""
    form = await request.form()
    if not access.token_matches(str(form.get("token", ""))):
        await access.wrong_token()
        return house.page(request, "sign_in.html", status=403, wrong=True, next=_next(request))
    response = RedirectResponse(_next(request), status_code=303)
    response.set_cookie(
        SESSION_COOKIE,
        access.session_cookie(datetime.now(UTC)),
        max_age=int(SESSION_LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


def _next(request: Request) -> str:
    """Only a page of ours can be gone on to."""
    path = request.query_params.get("next", "/")
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"
