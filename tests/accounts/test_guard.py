from datetime import UTC, datetime, timedelta

import pytest
from httpx2 import ASGITransport, AsyncClient, Response
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from quoth.accounts.access import SESSION_COOKIE, SESSION_LASTS, AccessRules
from quoth.accounts.guard import Guard

TOKEN = "a-long-enough-access-token"
OPEN = AccessRules(None)
LOCKED = AccessRules(TOKEN, loopback=False)
HOME = "http://127.0.0.1:8420"


async def inside(request: Request) -> PlainTextResponse:
    return PlainTextResponse("inside")


async def ask(
    rules: AccessRules, path: str = "/", method: str = "GET", *, at: str = HOME, **headers: str
) -> Response:
    app = Starlette(routes=[Route("/{path:path}", inside, methods=["GET", "POST"])])
    # The address is the one that the request is for, whatever its Host header says.
    transport = ASGITransport(Guard(app, rules))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with AsyncClient(transport=transport, base_url=at) as client:
        return await client.request(method, path, headers=named)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8420", "localhost:8420", "LOCALHOST:8420", "[::1]:8420"]
)
async def test_on_loopback_nobody_signs_in(host: str) -> None:
    assert (await ask(OPEN, host=host)).text == "inside"


@pytest.mark.parametrize(
    "host",
    ["evil.example:8420", "127.0.0.1.nip.io:8420", "127.0.0.1:9999", "localhost", "10.0.0.1:8420"],
)
async def test_a_name_that_was_pointed_at_us_is_misdirected(host: str) -> None:
    assert (await ask(OPEN, host=host)).status_code == 421


@pytest.mark.parametrize("host", ["", "a b", "user@127.0.0.1:8420"])
async def test_a_host_header_that_is_none_is_bad(host: str) -> None:
    assert (await ask(OPEN, host=host)).status_code == 400


async def test_a_configured_name_is_ours_with_any_port_or_the_one_it_has() -> None:
    rules = AccessRules(None, hosts=("quoth.example.com", "box.local:9000"))

    assert (await ask(rules, host="quoth.example.com")).status_code == 200
    assert (await ask(rules, host="box.local:9000")).status_code == 200
    assert (await ask(rules, host="box.local:8420")).status_code == 421
    assert (await ask(rules, host="evil.example")).status_code == 421


async def test_an_open_address_has_any_name_unless_names_are_configured() -> None:
    bearer = f"Bearer {TOKEN}"
    named = AccessRules(TOKEN, hosts=("quoth.example.com",), loopback=False)

    assert (await ask(LOCKED, host="any.example", authorization=bearer)).status_code == 200
    assert (await ask(named, host="any.example", authorization=bearer)).status_code == 421


async def test_the_api_takes_the_token_and_nothing_else() -> None:
    right = await ask(LOCKED, "/api/v1/checks", authorization=f"Bearer {TOKEN}")
    wrong = await ask(LOCKED, "/api/v1/checks", authorization="Bearer guess")
    none = await ask(LOCKED, "/api/v1/checks")

    assert right.text == "inside"
    assert wrong.status_code == none.status_code == 401
    assert none.headers["content-type"] == "application/problem+json"
    assert none.headers["www-authenticate"].startswith("Bearer")
    assert none.json()["title"] == "Sign-in needed"


async def test_a_stranger_is_sent_to_the_sign_in_page_and_back_afterwards() -> None:
    page = await ask(LOCKED, "/checks/7?sort=engine&x=1")
    start = await ask(LOCKED, "/")
    action = await ask(LOCKED, "/checks", "POST")

    assert page.status_code == 303
    assert page.headers["location"] == "/sign-in?next=/checks/7%3Fsort%3Dengine%26x%3D1"
    assert start.headers["location"] == action.headers["location"] == "/sign-in"


async def test_nobody_is_sent_back_to_another_host() -> None:
    away = await ask(LOCKED, "http://127.0.0.1:8420//evil.example/x")

    assert away.headers["location"] == "/sign-in"


@pytest.mark.parametrize("path", ["/sign-in", "/static/app.css", "/healthz"])
async def test_what_the_sign_in_page_needs_is_open(path: str) -> None:
    assert (await ask(LOCKED, path)).text == "inside"


@pytest.mark.parametrize("path", ["/sign-in/x", "/sign-input", "/statics", "/api/v1/sign-in"])
async def test_what_looks_like_an_open_path_is_not(path: str) -> None:
    assert (await ask(LOCKED, path)).text != "inside"


async def test_a_session_opens_pages_and_api() -> None:
    cookie = f"other=1; {SESSION_COOKIE}={LOCKED.session_cookie(datetime.now(UTC))}"

    assert (await ask(LOCKED, "/checks/7", cookie=cookie)).text == "inside"
    assert (await ask(LOCKED, "/api/v1/checks", cookie=cookie)).text == "inside"


async def test_a_session_whose_time_is_over_opens_nothing() -> None:
    old = LOCKED.session_cookie(datetime.now(UTC) - SESSION_LASTS - timedelta(seconds=1))

    assert (await ask(LOCKED, "/checks/7", cookie=f"{SESSION_COOKIE}={old}")).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:3000"},
        {"origin": "null"},
        {"sec_fetch_site": "same-origin", "origin": "http://127.0.0.1:3000"},
    ],
)
@pytest.mark.parametrize("rules", [OPEN, LOCKED])
async def test_another_site_may_change_nothing(rules: AccessRules, headers: dict[str, str]) -> None:
    answer = await ask(rules, "/api/v1/checks", "POST", authorization=f"Bearer {TOKEN}", **headers)

    assert answer.status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": HOME},
        {"origin": HOME, "sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
    ],
)
async def test_our_own_pages_and_programs_may(headers: dict[str, str]) -> None:
    assert (await ask(OPEN, "/checks", "POST", **headers)).text == "inside"


async def test_behind_a_tls_proxy_the_origin_is_still_ours() -> None:
    rules = AccessRules(None, hosts=("quoth.example.com",))

    answer = await ask(
        rules, "/checks", "POST", host="quoth.example.com", origin="https://quoth.example.com"
    )

    assert answer.text == "inside"


async def test_a_token_on_loopback_is_asked_for_too() -> None:
    assert (await ask(AccessRules(TOKEN), "/api/v1/checks")).status_code == 401
