import time
from datetime import UTC, datetime, timedelta

import pytest

from quoth.accounts.access import SESSION_LASTS, AccessRules, UnsafeListen, require_safe
from quoth.settings.listen import parse_listen

TOKEN = "a-long-enough-access-token"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_an_address_that_others_reach_needs_a_token() -> None:
    with pytest.raises(UnsafeListen, match=r"0\.0\.0\.0:8420 .* QUOTH_ACCESS_TOKEN"):
        require_safe(parse_listen("0.0.0.0:8420"), None)

    require_safe(parse_listen("0.0.0.0:8420"), TOKEN)
    require_safe(parse_listen("127.0.0.1:8420"), None)


def test_only_the_token_matches() -> None:
    rules = AccessRules(TOKEN)

    assert rules.token_matches(TOKEN)
    assert not rules.token_matches(TOKEN + "x")
    assert not rules.token_matches("")
    assert not rules.token_matches("\ud800")
    assert not AccessRules(None).token_matches("")


def test_a_session_is_good_in_every_process_until_its_time_is_over() -> None:
    cookie = AccessRules(TOKEN).session_cookie(NOW)

    elsewhere = AccessRules(TOKEN)

    assert elsewhere.session_valid(cookie, NOW)
    assert elsewhere.session_valid(cookie, NOW + SESSION_LASTS - timedelta(seconds=1))
    assert not elsewhere.session_valid(cookie, NOW + SESSION_LASTS)


def test_a_new_token_ends_all_sessions() -> None:
    cookie = AccessRules(TOKEN).session_cookie(NOW)

    assert not AccessRules(TOKEN + "2").session_valid(cookie, NOW)
    assert not AccessRules(None).session_valid(cookie, NOW)


@pytest.mark.parametrize(
    "forged", ["", ".", "..", "9999999999.x.", "9999999999.x.ы", "x.y.z", "²³.a.b"]
)
def test_a_session_that_we_did_not_give_is_none(forged: str) -> None:
    assert not AccessRules(TOKEN).session_valid(forged, NOW)


def test_a_session_cannot_be_prolonged_by_its_owner() -> None:
    ends, nonce, seal = AccessRules(TOKEN).session_cookie(NOW).split(".")

    assert not AccessRules(TOKEN).session_valid(f"{int(ends) + 1}.{nonce}.{seal}", NOW)


def test_the_token_is_in_no_repr() -> None:
    assert TOKEN not in repr(AccessRules(TOKEN))


async def test_each_wrong_token_costs_more_than_the_one_before() -> None:
    rules = AccessRules(TOKEN)
    waits = []

    for _ in range(2):
        begun = time.perf_counter()
        await rules.wrong_token()
        waits.append(time.perf_counter() - begun)

    assert waits[0] >= 0.24
    assert waits[1] >= 0.49
