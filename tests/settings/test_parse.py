from datetime import timedelta

import pytest

from quoth.settings.listen import Listen, parse_listen
from quoth.settings.parse import (
    parse_base_url,
    parse_database_url,
    parse_duration,
    parse_hosts,
    parse_proxy,
    parse_secret,
    parse_whole,
)
from quoth.settings.setting import hide_password


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("30s", timedelta(seconds=30)),
        ("5m", timedelta(minutes=5)),
        ("1h30m", timedelta(minutes=90)),
        ("250ms", timedelta(milliseconds=250)),
        ("1.5s", timedelta(seconds=1.5)),
        (" 2 h ", timedelta(hours=2)),
        ("7d", timedelta(days=7)),
    ],
)
def test_a_duration_is_a_number_and_a_unit(text: str, value: timedelta) -> None:
    assert parse_duration(text) == value


@pytest.mark.parametrize("text", ["", "30", "s", "-1s", "0s", "8d", "1e3s", "ten minutes", "٣s"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "listen", "loopback"),
    [
        ("127.0.0.1:8420", Listen("127.0.0.1", 8420), True),
        ("127.8.0.1:0", Listen("127.8.0.1", 0), True),
        ("[::1]:8420", Listen("::1", 8420), True),
        ("LocalHost:80", Listen("localhost", 80), True),
        ("0.0.0.0:8420", Listen("0.0.0.0", 8420), False),
        ("[::]:8420", Listen("::", 8420), False),
        ("[FD00::0:1]:1", Listen("fd00::1", 1), False),
        ("box.local:8420", Listen("box.local", 8420), False),
        ("localhost.evil.example:8420", Listen("localhost.evil.example", 8420), False),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, listen: Listen, loopback: bool) -> None:
    assert parse_listen(text) == listen
    assert listen.is_loopback is loopback


@pytest.mark.parametrize(
    "text",
    [
        "",
        "8420",
        ":8420",
        "127.0.0.1",
        "::1:8420",
        "127.0.0.1:65536",
        "1.2.3:80",
        "[::g]:1",
        "a b:1",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must"):
        parse_listen(text)


def test_an_address_reads_as_it_is_written_and_opens_in_a_browser() -> None:
    assert str(Listen("::1", 8420)) == "[::1]:8420"
    assert Listen("0.0.0.0", 8420).url == "http://127.0.0.1:8420/"
    assert Listen("::", 8420).url == "http://[::1]:8420/"


def test_host_names_are_lower_case_and_may_have_ports() -> None:
    assert parse_hosts("Quoth.Example.com, box:8420,[::1]") == (
        "quoth.example.com",
        "box:8420",
        "[::1]",
    )
    with pytest.raises(ValueError, match="host names"):
        parse_hosts("https://quoth.example.com")


@pytest.mark.parametrize(
    "text", ["0", "1001", "-1", "1.0", "١٢", "", "1_0", "99999999999999999999"]
)
def test_what_is_no_whole_number_in_bounds_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        parse_whole(1, 1000)(text)


@pytest.mark.parametrize(
    "text",
    [
        "api.example.com",
        "ftp://a",
        "http://",
        "http://u:p@a",
        "http://a?q=1",
        "http://a:99999",
        "http://[a",
    ],
)
def test_what_is_no_base_url_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must"):
        parse_base_url(text)


def test_a_base_url_loses_its_last_slash() -> None:
    assert parse_base_url("https://api.example.com/v1/") == "https://api.example.com/v1"


def test_a_proxy_may_have_a_password() -> None:
    assert parse_proxy("http://me:pw@proxy:3128") == "http://me:pw@proxy:3128"
    with pytest.raises(ValueError, match="must be an address"):
        parse_proxy("proxy:3128")


def test_a_database_is_a_url_or_words() -> None:
    assert parse_database_url("host=/run/x dbname=quoth") == "host=/run/x dbname=quoth"
    with pytest.raises(ValueError, match="postgresql://"):
        parse_database_url("mysql://localhost/quoth")


@pytest.mark.parametrize("text", ["short", "with spaces in it all", "секретный-ключ-длинный"])
def test_a_bad_secret_is_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="must") as refusal:
        parse_secret(16)(text)

    assert text not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://me:s3cret@host/db", "postgresql://me:***@host/db"),
        (
            "postgresql://me:s%40c@host/db?sslmode=require",
            "postgresql://me:***@host/db?sslmode=require",
        ),
        (
            "postgresql://host/db?user=me&password=s3cret&x=1",
            "postgresql://host/db?user=me&password=***&x=1",
        ),
        ("host=h password=s3cret dbname=q", "host=h password=*** dbname=q"),
        (r"host=h password = 's3\'cret x' dbname=q", "host=h password = *** dbname=q"),
        ("host=h sslpassword=s3cret", "host=h sslpassword=***"),
        ("http://proxy:3128", "http://proxy:3128"),
    ],
)
def test_a_password_is_hidden_and_the_rest_shown(text: str, shown: str) -> None:
    assert hide_password(text) == shown
