"""Sign in with the access token, and out again."""

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from quoth.accounts.access import SESSION_COOKIE, SESSION_LASTS
from quoth.web.context import context_of
from quoth.web.forms import read_form


async def show_sign_in(request: Request) -> Response:
    """The page that asks for the token."""
    context = context_of(request)
    if context.access is None:
        return RedirectResponse("/", 303)
    back = _ours(request.query_params.get("next"))
    return context.pages.page(request, "sign_in.html", back=back, wrong=False)


async def sign_in(request: Request) -> Response:
    """Give a session to whoever knows the token."""
    context = context_of(request)
    form = await read_form(request)
    back = _ours(form.one("next"))
    if context.access is None:
        return RedirectResponse(back, 303)
    if not context.access.token_matches(form.one("token").strip()):
        await context.access.wrong_token()
        return context.pages.page(request, "sign_in.html", status=403, back=back, wrong=True)
    response = RedirectResponse(back, 303)
    response.set_cookie(
        SESSION_COOKIE,
        context.access.session_cookie(datetime.now(UTC)),
        max_age=int(SESSION_LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


async def sign_out(request: Request) -> Response:
    """Forget the session in this browser."""
    response = RedirectResponse("/", 303)
    response.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
    return response


def _ours(path: str | None) -> str:
    """Where to go afterwards: a page of ours, and nothing that browsers read as another host."""
    if not path or not path.startswith("/") or path.startswith("//") or "\\" in path:
        return "/"
    return path if path.isprintable() else "/"
