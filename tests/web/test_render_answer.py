import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quoth.capture.views.shapes import MentionView
from quoth.web.captures.highlight import OURS
from quoth.web.captures.render_answer import ATTRIBUTES, LONGEST, TAGS, render_answer


def mentions_of(text: str, *names: str) -> list[MentionView]:
    found = [
        MentionView(name, name == names[0], place.start(), place.end(), place.group())
        for name in names
        for place in re.finditer(re.escape(name), text)
    ]
    return sorted(found, key=lambda mention: mention.start)


def marked(text: str, *names: str) -> str:
    return str(render_answer(text, mentions_of(text, *names)))


def marks(html: str) -> list[str]:
    return re.findall(r"<mark [^>]*>(.*?)</mark>", html)


@pytest.mark.parametrize(
    "text",
    [
        "Банк Точка хорош.",
        "Точка",
        "**Точка**",
        "_Точка_ и",
        "***Точка***",
        "~~Точка~~",
        "1. Точка — для ИП",
        "- **Точка**: для ИП",
        "# Точка",
        "Точка\n=====",
        "> Точка",
        "[Точка](https://tochka.com/a)",
        "[банк Точка тут](https://tochka.com/a)",
        "`Точка`",
        "```\nТочка\n```",
        "    Точка",
        "| Банк | Цена |\n|---|---|\n| Точка | 0 |",
        "![Точка](https://example.com/a.png)",
        "«Точка»",
        "(Точка)",
        "Точка\nвторая строка",
        "😀 Точка",
        "a\u0301 Точка",
        "Точка\\",
        "\\*Точка\\*",
        "&amp; Точка",
    ],
)
def test_a_brand_is_marked_where_it_stands(text: str) -> None:
    html = marked(text, "Точка")

    assert marks(html) == ["Точка"]
    plain = re.sub(r' id="mention-\d+"', "", re.sub(r"</?mark[^>]*>", "", html))
    assert plain == str(render_answer(text, []))


def test_ours_and_theirs_differ_by_more_than_their_text() -> None:
    html = marked("Точка, Сбербанк", "Точка", "Сбербанк")

    assert '<mark class="ours" title="Точка" id="mention-1">Точка</mark>' in html
    assert '<mark class="theirs" title="Сбербанк" id="mention-2">Сбербанк</mark>' in html


def test_a_name_over_the_edge_of_an_element_is_marked_in_both_parts() -> None:
    html = marked("**Альфа**-Банк", "**Альфа**-Банк")

    assert marks(html) == ["Альфа", "-Банк"]
    assert html.count("id=") == 1
    assert "<strong><mark" in html


def test_a_name_over_two_lines_is_marked_in_both() -> None:
    assert marks(marked("Альфа\nБанк", "Альфа\nБанк")) == ["Альфа", "Банк"]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[x](https://e.com/Tochka?a=Tochka)", "https://e.com/Tochka?a=Tochka"),
        ("<https://e.com/Tochka>", "https://e.com/Tochka"),
        ("[x](https://Tochka.com)", "https://Tochka.com"),
        ('[x](https://e.com "Tochka")', "https://e.com"),
        ("![x](https://e.com/Tochka.png)", "https://e.com/Tochka.png"),
    ],
)
def test_an_address_stays_whole(text: str, address: str) -> None:
    html = marked(text, "Tochka")

    assert f'href="{address}"' in html
    assert "%EF%B7" not in html.upper()


def test_spans_are_code_points_whatever_stands_before() -> None:
    assert marks(marked("🇷🇺 e\u0301 \U0001f3e6 Точка — Точка", "Точка")) == ["Точка", "Точка"]


def test_spans_that_overlap_or_lie_outside_break_nothing() -> None:
    spans = [(0, 5), (3, 8), (90, 95), (4, 4), (7, 3)]
    mentions = [MentionView("Точка", True, start, end, "") for start, end in spans]

    assert marks(str(render_answer("Точка и Сбер", mentions))) == ["Точка"]


EVIL = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><animate onbegin=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<math><mi xlink:href='javascript:alert(1)'>",
    "<style>*{background:url(https://e.com)}</style>",
    "<a href='vbscript:x'>x</a>",
    "<form action=https://e.com><button>x</button></form>",
    "<base href=https://e.com>",
    "<meta http-equiv=refresh content='0;url=https://e.com'>",
    "[x](/checks/1/cancel)",
    "[x](//e.com)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml;base64,AAAA)",
    "![x](https://e.com/pixel.gif)",
    "[![x](https://e.com/a.png)](javascript:alert(1))",
    '[x](https://e.com "\\"onmouseover=alert(1) x=\\"")',
    '![x" onerror="alert(1)](https://e.com/a.png)',
    "<https://e.com/\"onmouseover='alert(1)'>",
    "[x]: javascript:alert(1)\n\n[x]",
    '`<b onclick="x">`',
    "```html onload=x\n<script>\n```",
    "\ufdd0\ufdd6\ufdd1<b>\ufdd2",
    "| <script> |\n|---|\n| [x](javascript:x) |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]


def check_harmless(html: str) -> None:
    for name, attributes in re.findall(r"<([a-z][\w-]*)((?:\s[^>]*)?)>", html):
        assert name in TAGS, html
        names = re.findall(r'([\w:-]+)="[^"]*"', attributes)
        allowed = ATTRIBUTES.get(name, set()) | {"class", "rel"}
        assert set(names) <= allowed, html
    for address in re.findall(r'href="([^"]*)"', html):
        assert re.match(r"https?://|mailto:", address), html
    assert "<img" not in html
    assert not OURS.search(html)


@pytest.mark.parametrize("text", EVIL)
def test_an_answer_can_do_nothing(text: str) -> None:
    check_harmless(str(render_answer(text, [])))
    check_harmless(marked(text, "script", "alert"))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([*EVIL, "Точка", "**", "_", "`", "\n\n", "[", "](", "|", "> ", "# "])),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9))),
)
def test_no_mix_of_them_can_either(parts: list[str], spans: list[tuple[int, int]]) -> None:
    mentions = [MentionView('T"<x', True, at, at + length, "") for at, length in spans]

    check_harmless(str(render_answer("".join(parts), mentions)))


def test_links_tell_nobody_where_they_were_followed() -> None:
    html = str(render_answer("[x](https://e.com)", []))

    assert html == '<p><a href="https://e.com" rel="noopener noreferrer nofollow">x</a></p>\n'


def test_a_picture_becomes_a_link_and_within_a_link_its_description() -> None:
    alone = str(render_answer("![схема](https://e.com/a.png)", []))
    linked = str(render_answer("[![схема](https://e.com/a.png)](https://e.com)", []))

    assert 'href="https://e.com/a.png"' in alone
    assert ">схема</a>" in alone
    assert linked.count("<a ") == 1
    assert ">схема</a>" in linked


@pytest.mark.parametrize(
    ("given", "shown"),
    [("14", "34"), ("6", "3"), ("3341", "3343"), ("123456", "345666"), ("2342", "3453")],
)
def test_headings_stand_below_those_of_the_page_and_leave_no_level_out(
    given: str, shown: str
) -> None:
    text = "\n\n".join(f"{'#' * int(level)} a" for level in given)

    assert re.findall(r"<h(\d)>a</h\1>", str(render_answer(text, []))) == list(shown)


def test_code_that_is_wider_than_the_page_is_reached_by_keyboard() -> None:
    html = str(render_answer("```python\nx\n```", []))

    assert html == '<pre role="group" tabindex="0"><code>x\n</code></pre>\n'


@pytest.mark.parametrize("piece", ["[", "![", "*a ", "`", "> ", "- ", "|a", "_a__b", "<", "&"])
def test_a_huge_answer_is_cut_and_rendered_in_time(piece: str) -> None:
    text = piece * (2 * LONGEST // len(piece))

    assert len(str(render_answer(text, []))) < 8 * LONGEST
