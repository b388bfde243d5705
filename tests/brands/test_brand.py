import pytest

from quoth.brands.brand import BadBrand, clean_domain, clean_name, folded, unique_names


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("tochka.com", "tochka.com"),
        ("  Tochka.COM. ", "tochka.com"),
        ("https://www.tochka.com/business?utm=1#top", "tochka.com"),
        ("tochka.com:8443/x", "tochka.com"),
        ("https://www.Точка.рф/о-нас", "xn--80atlp0a.xn--p1ai"),
        ("lk.tochka.com", "lk.tochka.com"),
        ("www.com.ru", "com.ru"),
    ],
)
def test_a_domain_is_a_bare_host_however_it_was_pasted(given: str, host: str) -> None:
    assert clean_domain(given) == host


@pytest.mark.parametrize(
    "given",
    [
        "",
        "tochka",
        "127.0.0.1",
        "http://[::1]/",
        "точка банк.рф",
        "http://user:secret@tochka.com",
        "-tochka.com",
        "a..com",
        "tochka.com:99999",
        "a\0b.com",
        "\ud800.com",
        "x" * 64 + ".com",
        ".".join(["label"] * 60),
    ],
)
def test_what_is_no_host_is_refused(given: str) -> None:
    with pytest.raises(BadBrand):
        clean_domain(given)


def test_a_names_white_space_is_put_in_order() -> None:
    assert clean_name("  Точка\u00a0 Банк\n") == "Точка Банк"


@pytest.mark.parametrize("given", ["", " \t", "...", "To\0chka", "\ud800chka", "x" * 201])
def test_what_is_no_name_is_refused(given: str) -> None:
    with pytest.raises(BadBrand):
        clean_name(given)


def test_letter_case_and_compatible_forms_make_no_other_name() -> None:
    assert folded("СБЕРБАНК") == folded("сбербанк")
    assert folded("Straße") == folded("STRASSE")
    assert folded("Ｔｏｃｈｋａ") == folded("tochka")
    assert folded("Точка") != folded("Тачка")


def test_an_alias_counts_once_and_never_beside_the_name_itself() -> None:
    assert unique_names(("Сбер", "СБЕР", "сбербанк", "Sber"), but="Сбербанк") == ("Сбер", "Sber")
