import pytest

from quoth.accounts.hosts import Host


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("127.0.0.1:8420", Host("127.0.0.1", 8420)),
        ("LOCALHOST", Host("localhost", None)),
        ("localhost.:80", Host("localhost", 80)),
        ("[::1]:8420", Host("::1", 8420)),
        ("[0:0::1]", Host("::1", None)),
        ("evil.example:8420", Host("evil.example", 8420)),
    ],
)
def test_a_host_header_is_read_as_browsers_write_it(text: str, host: Host) -> None:
    assert Host.parse(text) == host


@pytest.mark.parametrize(
    "text",
    ["", "a b", "::1", "[::1", "[::g]", "a:b", "a:123456", "user@host", "http://a", "a/b", "а.рф"],
)
def test_what_is_no_host_is_none(text: str) -> None:
    assert Host.parse(text) is None


@pytest.mark.parametrize(
    "origin", ["null", "", "file://", "http://a/b", "ftp://a", "http://[a", "a:1"]
)
def test_what_is_no_web_origin_is_none(origin: str) -> None:
    assert Host.of_origin(origin) is None


def test_a_port_that_the_scheme_implies_counts_as_none() -> None:
    assert Host("a", 443).same_as(Host("a", None))
    assert not Host("a", 8420).same_as(Host("a", None))
    assert not Host("a", 8420).same_as(Host("b", 8420))


@pytest.mark.parametrize(
    ("name", "loopback"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("127.0.0.1.nip.io", False),
        ("10.0.0.1", False),
    ],
)
def test_only_names_of_the_machine_itself_are_loopback(name: str, loopback: bool) -> None:
    assert Host(name, 8420).is_loopback is loopback
