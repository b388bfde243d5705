import pytest

from quoth.web.words import load_words
from tests.web.messages import messages

RUSSIAN = load_words()["ru"]


def test_the_templates_have_messages() -> None:
    assert len(messages()) > 50


@pytest.mark.parametrize("message", sorted(messages(), key=str), ids=str)
def test_every_message_has_its_russian(message: str | tuple[str, ...]) -> None:
    if isinstance(message, str):
        assert RUSSIAN.gettext(message) != message
    else:
        assert all(RUSSIAN.ngettext(message[0], message[1], n) not in message for n in (1, 2, 5))


@pytest.mark.parametrize(
    ("count", "said"), [(1, "источник"), (3, "источника"), (5, "источников"), (21, "источник")]
)
def test_plurals_are_russian(count: int, said: str) -> None:
    assert RUSSIAN.ngettext("%(count)s source", "%(count)s sources", count).endswith(said)
