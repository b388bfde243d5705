"""Stands before pages and API: refuses foreign hosts, other sites' requests, and strangers."""

import json
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from quoth.accounts.access import SESSION_COOKIE, AccessRules
from quoth.accounts.hosts import Host

SIGN_IN = "/sign-in"
API = "/api/"
# What only programs ask: no sign-in page would tell them anything.
FOR_PROGRAMS = (API, "/metrics")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# What a stranger needs to see the sign-in page, and a watchdog to see that we live.
OPEN_PATHS = (SIGN_IN, "/static/", "/favicon.ico", "/healthz")


class Guard:
    """Pure ASGI, so that streams pass through untouched."""

    def __init__(
        self, app: ASGIApp, rules: AccessRules, *, open_paths: tuple[str, ...] = OPEN_PATHS
    ) -> None:
        self._app = app
        self._rules = rules
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may pass, answer the rest."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise ValueError(f"no {scope['type']} here")
        headers = Headers(scope=scope)
        refusal = (
            self._refuse_host(scope, headers)
            or _refuse_foreign(scope, headers)
            or await self._refuse_stranger(scope, headers)
        )
        await (refusal or self._app)(scope, receive, send)

    def _refuse_host(self, scope: Scope, headers: Headers) -> Response | None:
        given = headers.getlist("host")
        host = Host.parse(given[0]) if len(given) == 1 else None
        if host is None:
            return _answer(scope, 400, "Bad host", "The request has no proper Host header.")
        server = scope.get("server")
        if self._rules.allows_host(host, server[1] if server else None):
            return None
        return _answer(
            scope,
            421,
            "Unknown host",
            "This is not the host that you asked for. To be reached under this name, "
            "Quoth must be told: QUOTH_HOSTS.",
        )

    async def _refuse_stranger(self, scope: Scope, headers: Headers) -> Response | None:
        if not self._rules.sign_in_needed or self._is_open(scope["path"]):
            return None
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            if self._rules.token_matches(token.strip()):
                return None
            await self._rules.wrong_token()
        elif self._rules.session_valid(_session(headers), datetime.now(UTC)):
            return None
        if scope["path"].startswith(FOR_PROGRAMS):
            return _answer(
                scope,
                401,
                "Sign-in needed",
                "Send the access token: Authorization: Bearer <QUOTH_ACCESS_TOKEN>.",
                {"www-authenticate": 'Bearer realm="Quoth"'},
            )
        return RedirectResponse(SIGN_IN + _back_to(scope), 303, {"cache-control": "no-store"})

    def _is_open(self, path: str) -> bool:
        return any(
            path == each or (each.endswith("/") and path.startswith(each))
            for each in self._open_paths
        )


def _refuse_foreign(scope: Scope, headers: Headers) -> Response | None:
    """Refuse what another site makes a browser send; programs send none of these headers."""
    if scope["method"] in SAFE_METHODS:
        return None
    foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
    if (origin := headers.get("origin")) is not None:
        ours, theirs = Host.parse(headers["host"]), Host.of_origin(origin)
        foreign = foreign or ours is None or theirs is None or not ours.same_as(theirs)
    if not foreign:
        return None
    return _answer(
        scope, 403, "Request of another site", "A page of another site may change nothing here."
    )


def _session(headers: Headers) -> str:
    try:
        cookies = SimpleCookie("; ".join(headers.getlist("cookie")))
    except CookieError:
        return ""
    return cookies[SESSION_COOKIE].value if SESSION_COOKIE in cookies else ""


def _back_to(scope: Scope) -> str:
    """Where to go after the sign-in: only a page of ours can be gone back to."""
    path = scope["path"]
    # Browsers read `//name` and `/\\name` as another host.
    if scope["method"] != "GET" or path == "/" or path.startswith(("//", "/\\")):
        return ""
    query = scope["query_string"].decode("latin-1")
    return "?next=" + quote(path + (f"?{query}" if query else ""), safe="/")


def _answer(
    scope: Scope, status: int, title: str, detail: str, headers: dict[str, str] | None = None
) -> Response:
    headers = {"cache-control": "no-store", **(headers or {})}
    if scope["path"].startswith(API):
        problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
        return Response(json.dumps(problem), status, headers, "application/problem+json")
    return PlainTextResponse(f"{title}. {detail}\n", status, headers)
