import pytest

from quoth.accounts.access import SESSION_COOKIE, AccessRules
from quoth.storage import Database
from tests.web.harness import field, open_pages

TOKEN = "a-token-of-some-length"


def rules() -> AccessRules:
    return AccessRules(TOKEN, loopback=False)


async def test_the_token_gives_a_session_that_the_guard_takes_and_leads_back(
    database: Database,
) -> None:
    async with open_pages(database, access=rules()) as browser:
        turned_away = await browser.get("/checks?before=9")
        page = await browser.get(turned_away.headers["location"])
        signed_in = await browser.post(
            "/sign-in", data={"token": f" {TOKEN} ", "next": field(page.text, "next")}
        )
        let_in = await browser.get(signed_in.headers["location"])
        await browser.post("/sign-out")
        out_again = await browser.get("/checks")

    assert turned_away.status_code == 303
    assert signed_in.headers["location"] == "/checks?before=9"
    assert "HttpOnly" in signed_in.headers["set-cookie"]
    assert "SameSite=lax" in signed_in.headers["set-cookie"]
    assert let_in.status_code == 200
    assert out_again.status_code == 303


async def test_a_wrong_token_gives_nothing(database: Database) -> None:
    async with open_pages(database, access=rules()) as browser:
        refused = await browser.post("/sign-in", data={"token": "guess", "next": "/checks"})

    assert refused.status_code == 403
    assert "That is not the token." in refused.text
    assert "guess" not in refused.text
    assert SESSION_COOKIE not in refused.headers.get("set-cookie", "")
    assert field(refused.text, "next") == "/checks"


@pytest.mark.parametrize(
    "elsewhere", ["//evil.example", "/\\evil.example", "https://evil.example", "/a\r\nb", "", "x"]
)
async def test_a_sign_in_leads_nowhere_else(database: Database, elsewhere: str) -> None:
    async with open_pages(database, access=rules()) as browser:
        answer = await browser.post("/sign-in", data={"token": TOKEN, "next": elsewhere})

    assert answer.headers["location"] == "/"


async def test_where_nobody_signs_in_there_is_no_such_page(database: Database) -> None:
    async with open_pages(database) as browser:
        assert (await browser.get("/sign-in")).headers["location"] == "/"
        assert "sign-out" not in (await browser.get("/")).text
