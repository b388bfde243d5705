"""Every message of the pages has its Russian, and every Russian its message."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from quoth.capture.attempts import LATE, LOST, STOPPED
from quoth.capture.new_check import BadCheck, NewBrand, NewCheck, NewPrompt, validate
from quoth.capture.views.load_captures import NOBODY_WORKS, PAUSED
from quoth.web.sayings import Sayings
from quoth.web.words import LOCALES, load_words
from tests.api.harness import engines

ROOT = Path(__file__).parents[2]
CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
GAPS = re.compile(r"%\((\w+)\)s")


def extracted() -> Catalog:
    # As babel.cfg has it, for whoever extracts by hand.
    methods = re.findall(r"^\[(\w+): (.+)\]$", (ROOT / "babel.cfg").read_text(), re.MULTILINE)
    catalog = Catalog()
    for _, _, message, _, _ in extract_from_dir(ROOT, [(glob, kind) for kind, glob in methods]):
        catalog.add(message)
    return catalog


def russian() -> Catalog:
    with (LOCALES / "ru" / "LC_MESSAGES" / "quoth.po").open("rb") as file:
        return read_po(file, locale="ru")


MESSAGES = {message.id: message for message in extracted() if message.id}
RUSSIAN = {message.id: message for message in russian() if message.id}


def test_messages_are_found_in_templates_and_in_code() -> None:
    assert "New check" in MESSAGES
    assert "Choose at least one engine." in MESSAGES
    assert len(MESSAGES) > 150


def test_no_message_is_without_its_russian_and_none_is_left_over() -> None:
    assert set(RUSSIAN) == set(MESSAGES)


def forms(text: object) -> list[str]:
    return [str(each) for each in (text if isinstance(text, tuple) else (text,))]


@pytest.mark.parametrize("message", RUSSIAN.values(), ids=lambda message: str(message.id)[:40])
def test_a_translation_is_whole(message: Message) -> None:
    said, source = forms(message.string), forms(message.id)

    assert len(said) == (3 if message.pluralizable else 1)
    assert "fuzzy" not in message.flags
    for each in said:
        assert set(GAPS.findall(each)) == set(GAPS.findall(source[0]))
        assert CYRILLIC.search(each) or GAPS.sub("", each).strip() == ""
        assert '"' not in each, "quotation marks are « and »"
        assert " - " not in each, "a dash is —"


@pytest.mark.parametrize(
    ("number", "said"), [(1, "вопрос"), (2, "вопроса"), (5, "вопросов"), (11, "вопросов")]
)
def test_russian_plurals_are_russian(number: int, said: str) -> None:
    words = load_words("ru")

    assert words.ngettext("%(num)s prompt", "%(num)s prompts", number).endswith(f"\u00a0{said}")


GOOD = NewCheck(NewBrand("Acme"), (), (NewPrompt("Best?", "en", "US"),), ("chatgpt",))


def brand(name: str = "Acme", **more: tuple[str, ...]) -> NewCheck:
    return replace(GOOD, brand=NewBrand(name, **more))


def rivals(*competitors: NewBrand) -> NewCheck:
    return replace(GOOD, competitors=competitors)


def prompts(*texts: str, language: str = "en", country: str = "US") -> NewCheck:
    asked = tuple(NewPrompt(text, language, country) for text in texts)
    return replace(GOOD, prompts=asked, samples=100 if len(asked) > 100 else 1)


REFUSED = {
    "no name": brand(""),
    "long name": brand("x" * 201),
    "control": brand("a\x00b"),
    "no letter": brand("..."),
    "domain": brand(domains=("no domain",)),
    "names": brand(aliases=tuple(f"a{number}" for number in range(101))),
    "competitors": rivals(*(NewBrand(f"c{number}") for number in range(51))),
    "own": rivals(NewBrand("ACME")),
    "shared": rivals(NewBrand("Other", aliases=("Acme",))),
    "no prompt": prompts(),
    "empty prompt": prompts("a", " "),
    "long prompt": prompts("a", "x" * 4001),
    "control prompt": prompts("a\x00"),
    "language": prompts("a", language="xx"),
    "country": prompts("a", country="XX"),
    "no engine": replace(GOOD, engines=()),
    "no such engine": replace(GOOD, engines=("altavista",)),
    "no key": replace(GOOD, engines=("perplexity",)),
    "samples": replace(GOOD, samples=101),
    "captures": prompts(*(f"{number}" for number in range(101))),
}


@pytest.mark.parametrize("new", REFUSED.values(), ids=REFUSED)
def test_every_refusal_of_a_check_is_said_in_russian(new: NewCheck) -> None:
    with pytest.raises(BadCheck) as caught:
        validate(new, engines("chatgpt"))

    said = Sayings(load_words("ru")).refusal(caught.value.message)

    assert CYRILLIC.search(said), caught.value.message
    assert not GAPS.search(said)


@pytest.mark.parametrize(
    "reason",
    [
        NOBODY_WORKS,
        "no process here asks ChatGPT (gpt-5) by openai-responses",
        "HTTP 429 rate_limit_exceeded: slow down",
        "HTTP 502 Bad gateway",
        "sent, but no reply came: reset by peer",
        "unexpected ValueError; the log has the details",
        "the process that worked on it is gone",
        "each process that worked on it died, the last one on nothing else",
        LOST,
        LATE,
        STOPPED,
        f"{PAUSED}: back on Monday",
        "its process was shut down",
        "its lane closed before the call went out",
        "its handler gave up without a word",
        "the engine answered without a word",
        "its time was over before its turn came",
        "gpt-5 was asked, gpt-4 answered",
    ],
)
def test_a_reason_is_said_in_russian(reason: str) -> None:
    assert CYRILLIC.search(Sayings(load_words("ru")).reason(reason))


def test_what_nobody_foresaw_is_said_as_it_is_with_its_kind_before() -> None:
    sayings = Sayings(load_words("en"))

    assert sayings.reason("HTTP 418 teapot", "rejected") == (
        "The engine rejected the request: HTTP 418 teapot"
    )
    assert sayings.reason("100% odd") == "100% odd"
    assert sayings.refusal("something new") == "something new"
