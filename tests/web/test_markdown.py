import re

import pytest

from quoth.capture.views import MentionView
from quoth.web.markdown import render_answer


def marked(text: str, name: str = "Точка") -> str:
    start = text.index(name)
    return render_answer(text, [MentionView(name, True, start, start + len(name), name)])


MARK = '<mark class="brand ours" title="Точка">Точка</mark>'


@pytest.mark.parametrize(
    "text",
    [
        "Банк Точка хорош.",
        "1. **Точка** — для ИП",
        "| Банк | Цена |\n|---|---|\n| Точка | 0 |",
        "> Точка",
        "[Точка](https://tochka.com/a)",
        "`Точка`",
        "# Точка",
    ],
)
def test_a_brand_is_marked_where_it_stands(text: str) -> None:
    assert MARK in marked(text)


def test_a_mention_within_an_address_leaves_the_address_whole() -> None:
    shown = marked("[банк](https://example.com/Tochka?a=1)", "Tochka")

    assert "https://example.com/Tochka?a=1" in shown
    assert "\ue000" not in shown
    assert "<mark" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        '<img src=x onerror="alert(1)">',
        "![x](javascript:alert(1))",
        "![x](data:image/svg+xml;base64,AAAA)",
        "<svg onload=alert(1)>",
        "<a href='vbscript:x'>x</a>",
        '[x](https://a.example "\\"onmouseover=alert(1)")',
        "\ue0000\ue002<b>\ue001",
    ],
)
def test_an_answer_can_do_nothing(text: str) -> None:
    shown = render_answer(text, [])

    for wrong in ("<script", "<img", "<svg", 'href="javascript', 'href="data', "<b>"):
        assert wrong not in shown
    assert not re.search(r'<[^>"]*\bon\w+=', shown)
    assert "\ue000" not in shown


def test_a_picture_becomes_a_link() -> None:
    shown = render_answer("![схема](https://example.com/a.png)", [])

    assert "<img" not in shown
    assert 'href="https://example.com/a.png"' in shown
