from time import perf_counter

import pytest

from quoth.analysis.fold import fold
from quoth.analysis.mentions import Mention, Watched, find_mentions

BRANDS = (
    Watched(1, ("Точка", "Tochka", "банк Точка")),
    Watched(2, ("Королёв Пей", "Korolev Pay")),
    Watched(3, ("Вега-Софт", "vega.io")),
    Watched(4, ("Café Lumière",)),
    Watched(5, ("R&D", "Straße 9")),
    Watched(6, ("Вега",)),
    Watched(7, ("青空", "アオ")),
)


def named(text: str) -> list[tuple[int, str]]:
    """Which brands are found in `text`, and as what they stand there."""
    return [(mention.brand_id, mention.surface) for mention in find_mentions(text, BRANDS)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Советую? Да: Точка.", [(1, "Точка")]),
        ("TOCHKA, tochka и Tochka", [(1, "TOCHKA"), (1, "tochka"), (1, "Tochka")]),
        ("Точка", [(1, "Точка")]),
        ("Точкаровка и Неточка", []),
        ("Точка2 и 2Точка", []),
        ("Точка-Онлайн и онлайн-Точка", [(1, "Точка"), (1, "Точка")]),
        ("«Точка», (Точка), Точка’s", [(1, "Точка"), (1, "Точка"), (1, "Точка")]),
        ("🟣Точка🟣", [(1, "Точка")]),
        ("#Точка", [(1, "Точка")]),
        ("банк Точка", [(1, "банк Точка")]),
        ("Вега-Софт и Вега", [(3, "Вега-Софт"), (6, "Вега")]),
        ("Вега-Софтверный", [(6, "Вега")]),
    ],
)  # fmt: skip
def test_a_name_counts_as_a_whole_word_and_the_longest_counts_once(
    text: str, expected: list[tuple[int, str]]
) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("за Королев Пей", "Королев Пей"),
        ("за Королёв\u00a0Пей", "Королёв\u00a0Пей"),
        ("за Королёв\u2009Пей", "Королёв\u2009Пей"),
        ("за Королёв\nПей", "Королёв\nПей"),
        ("за Короле\u0308в Пей", "Короле\u0308в Пей"),
        ("за Королёв Пеи\u0306!", "Королёв Пеи\u0306"),
        ("за Коро\u00adлёв Пей", "Коро\u00adлёв Пей"),
        ("за Коро\u200bлёв Пей", "Коро\u200bлёв Пей"),
        ("за Королё\u0301в Пей", "Королё\u0301в Пей"),
        ("Вега\u2011Софт", "Вега\u2011Софт"),
        ("Вега\u2013Софт", "Вега\u2013Софт"),
        ("cafe lumiere", "cafe lumiere"),
        ("Cafe\u0301 Lumie\u0300re", "Cafe\u0301 Lumie\u0300re"),
        ("Ｃａｆé Lumière", "Ｃａｆé Lumière"),
        ("R&amp;D", "R&amp;D"),
        (r"R\&D", r"R\&D"),
        ("STRASSE 9", "STRASSE 9"),
    ],
)
def test_a_name_is_found_however_it_is_written_and_stands_where_it_stood(
    text: str, surface: str
) -> None:
    [mention] = find_mentions(text, BRANDS)

    assert mention.surface == surface
    assert text[mention.start : mention.end] == surface


@pytest.mark.parametrize("text", ["Королёв\n\nПей", "Королёв. Пей", "Королёв [1] Пей"])
def test_a_name_does_not_reach_over_what_parts_its_words(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Точка](https://example.com/tochka)", ["Точка"]),
        ("[обзор](https://example.com/tochka 'Точка')", []),
        ("[обзор](<https://example.com/о банке Точка>)", []),
        ("[Точка][точка]", ["Точка"]),
        ("[точка]: https://example.com 'Точка'", []),
        ("https://example.com/Точка и www.Tochka.example", []),
        ("<https://tochka.example/Точка>", []),
        ("сайт tochka.com, почта a@tochka.com, чат @tochka", []),
        ("сайт tochka.com/бизнес/Точка дальше Точка", ["Точка"]),
        ("откройте vega.io или docs.vega.io", ["vega.io"]),
        ("счёт.Точка удобнее", ["Точка"]),
        ("файл tochka.pdf", []),
        ("![Точка](logo.png) и ![Точка][логотип]", []),
        ("<a title='Точка'>Точка</a><!-- Точка -->", ["Точка"]),
        ("```\nТочка\n```\nТочка", ["Точка"]),
        ("~~~ python\nТочка\n```\nТочка", []),
        ("`Точка` и `точка входа`, ``Точка``", ["Точка", "Точка"]),
        ("Точка[1][2], Точка【4†источник】, Точка[^3]", ["Точка", "Точка", "Точка"]),
        ("Точка¹ и Точка™", ["Точка", "Точка"]),
        ("_Точка_ и __Точка__, **Точка**, ***Точка***", ["Точка"] * 4),
        ("db_tochka_prod и tochka_id", []),
        ("|Точка|9|", ["Точка"]),
    ],
)
def test_only_prose_names_a_brand(text: str, expected: list[str]) -> None:
    assert [surface for _, surface in named(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("私は青空を使う", ["青空"]),
        ("アオが好き", ["アオ"]),
        ("アオリンゴ", []),
    ],
)
def test_where_no_space_parts_words_only_katakana_holds_together(
    text: str, expected: list[str]
) -> None:
    assert [surface for _, surface in named(text)] == expected


@pytest.mark.parametrize(
    "surface",
    ["Точки", "Точке", "Точку", "Точкой", "Королёва Пей", "Веге", "Веги-Софт", "Вега-Софтом",
     "Tochkas", "ТОЧКУ", "банка Точка", "банк Точку"],
)  # fmt: skip
def test_a_name_is_found_with_the_endings_of_a_sentence(surface: str) -> None:
    assert [found for _, found in named(f"что в {surface}, то и там")] == [surface]


@pytest.mark.parametrize(
    ("name", "surface"),
    [
        ("Перекрёсток", "Перекрестке"), ("Самолёт", "Самолётом"), ("Глобус", "Глобусу"),
        ("Икея", "Икею"), ("Россия", "России"), ("Билайн", "Билайна"), ("Музей", "Музею"),
        ("Альянс", "Альянсов"), ("Сибирь", "Сибирью"), ("Огонёк", "Огонька"), ("Купец", "Купцом"),
        ("Блок", "Блока"),
        ("Мираж", "Миражем"), ("Чашка", "Чашкой"), ("Авито", "Авито"), ("Шелл", "Шеллы"),
    ],
)  # fmt: skip
def test_endings_follow_the_last_letters_of_the_name(name: str, surface: str) -> None:
    [mention] = find_mentions(f"у «{surface}»", (Watched(1, (name,)),))

    assert mention.surface == surface


@pytest.mark.parametrize("text", ["с точки зрения", "поставим точку", "ВТБе"])
def test_with_an_ending_a_name_keeps_its_capital_and_an_abbreviation_takes_none(text: str) -> None:
    assert find_mentions(text, (*BRANDS, Watched(9, ("ВТБ",)))) == []


def test_one_brands_ending_never_hides_anothers_name() -> None:
    [mention] = find_mentions("Вегас", (Watched(1, ("Вег",)), Watched(2, ("Вегас",))))
    [other] = find_mentions("Веги", (Watched(1, ("Вега",)), Watched(2, ("Веги",))))

    assert (mention.brand_id, other.brand_id) == (2, 2)


def test_of_names_that_cross_the_longer_counts() -> None:
    crossing = (Watched(1, ("Red Fox",)), Watched(2, ("Fox Trading House",)))

    [mention] = find_mentions("the Red Fox Trading House", crossing)

    assert mention == Mention(2, 8, 25, "Fox Trading House")


def test_a_name_of_two_brands_names_the_first() -> None:
    [mention] = find_mentions("Nova", (Watched(8, ("nova",)), Watched(9, ("NOVA",))))

    assert mention.brand_id == 8


def test_a_name_that_is_no_word_names_nothing() -> None:
    assert find_mentions("— ! —", (Watched(1, ("", "!", "—")),)) == []
    assert find_mentions("anything", ()) == []


@pytest.mark.parametrize(
    "piece",
    ["`", "``a", "<!--", "<a ", "](", "![", "[1", "](((", "точка ", "_", "\ue200", "a.", "a@",
     "&a", "\u0301", "\n \n`", "www.", "~~~\n", "`Точка` ",
     "Fox Trading ", "[a]: ", "](<", '](a "', "【"],
)  # fmt: skip
def test_hostile_text_costs_no_more_than_its_length(piece: str) -> None:
    brands = (*BRANDS, Watched(9, ("Fox Trading Fox Trading House",)))
    text = piece * (200_000 // len(piece))

    begun = perf_counter()
    find_mentions(text, brands)

    # Quadratic time would be minutes.
    assert perf_counter() - begun < 10


def test_the_fold_of_a_name_is_where_its_letters_are() -> None:
    folded = fold("Straße\u00a0 9")

    assert folded.text == "strasse 9"
    assert folded.starts == [0, 1, 2, 3, 4, 4, 5, 6, 8]
    assert folded.ends[-2:] == [8, 9]
    assert not folded.whole(5, 9)
