import pytest

from quoth.analysis.citations import Citation, GivenLink, read_citations


def link(url: str, *, title: str | None = None, used: bool = True, start: int = 0) -> GivenLink:
    return GivenLink(url, title, used, start, start + 3)


def test_sources_stand_in_the_order_in_which_they_are_given() -> None:
    citations = read_citations(
        [
            link("https://a.example/1", title=" A "),
            link("http://www.b.example", used=False, start=9),
        ]
    )

    assert citations == [
        Citation(1, "https://a.example/1", "a.example", "A", True, 0, 3),
        Citation(2, "http://www.b.example/", "b.example", None, False, 9, 12),
    ]


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTPS://Example.COM", "https://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://example.com/a#b", "https://example.com/a"),
        ("https://example.com/?utm_source=openai", "https://example.com/"),
        ("https://example.com/?a=1&UTM_Medium=x&b=2&srsltid=q", "https://example.com/?a=1&b=2"),
        ("https://example.com/?utm=1&a=%D1%8F", "https://example.com/?utm=1&a=%D1%8F"),
        ("https://me:secret@example.com/", "https://example.com/"),
        ("https://example.com./", "https://example.com/"),
        ("https://пример.рф/о нас", "https://xn--e1afmkfd.xn--p1ai/%D0%BE%20%D0%BD%D0%B0%D1%81"),
        ("https://[2001:DB8::1]:443/", "https://[2001:db8::1]/"),
        (" https://example.com/a(b)?c=d(e)&f=g+h ", "https://example.com/a(b)?c=d(e)&f=g+h"),
    ],
)
def test_a_page_has_one_address_however_it_is_linked_to(url: str, canonical: str) -> None:
    [citation] = read_citations([link(url)])

    assert citation.url == canonical


@pytest.mark.parametrize(
    "url",
    ["", "example.com", "//example.com", "mailto:a@example.com", "ftp://example.com/",
     "javascript:alert(1)", "https://", "https://a b.example/", "https://[::1", "https://a:x/",
     "https://.example/", "turn0search1", f"https://{'a' * 64}.example/", "https://a..example/"],
)  # fmt: skip
def test_what_is_no_address_is_no_source(url: str) -> None:
    assert read_citations([link(url)]) == []


def test_a_source_given_twice_is_one_and_stands_where_it_is_first_used() -> None:
    [citation] = read_citations(
        [
            link("https://a.example/", used=False, start=1),
            link("https://A.example?utm_source=openai", title="A", used=True, start=5),
            link("https://a.example/#b", title="B", used=True, start=8),
        ]
    )

    assert citation == Citation(1, "https://a.example/", "a.example", "A", True, 5, 8)


def test_a_site_is_the_host_without_www() -> None:
    urls = ["https://www.www.example/", "https://blog.example.com/", "https://wwwa.example/"]

    domains = [citation.domain for citation in read_citations([link(url) for url in urls])]

    assert domains == ["www.example", "blog.example.com", "wwwa.example"]
