import io
from dataclasses import replace
from pathlib import Path

import pytest

from quoth.capture.new_check import NewBrand, NewPrompt
from quoth.cli.check_input import STDIN, Typed, new_check
from quoth.cli.running import Refusal
from quoth.settings.values import EngineSettings

NO_KEYS = {"chatgpt": EngineSettings(), "perplexity": EngineSettings()}
ONE_KEY = {**NO_KEYS, "perplexity": EngineSettings(api_key="key")}
TYPED = Typed(
    prompts=("Best bank?",), file=None, brand="Точка", aliases=("Tochka",), domains=("tochka.com",),
    competitors=("Сбербанк",), engines=(), samples=2, language=None, country=None,
    idempotency_key="k",
)  # fmt: skip


def test_what_was_typed_is_the_check() -> None:
    new = new_check(TYPED, NO_KEYS, demo=True, stdin=io.StringIO())

    assert new.brand == NewBrand("Точка", ("Tochka",), ("tochka.com",))
    assert new.competitors == (NewBrand("Сбербанк"),)
    assert new.engines == ("chatgpt", "perplexity")
    assert (new.samples, new.started_by, new.idempotency_key) == (2, "command", "k")


@pytest.mark.parametrize(
    ("text", "language", "country", "expected"),
    [
        ("Лучший банк?", None, None, ("ru", "RU")),
        ("Best bank, Точка?", None, None, ("ru", "RU")),
        ("Best bank?", None, None, ("en", "US")),
        ("Meilleure banque ?", "FR", "fr", ("fr", "FR")),
        ("Лучший банк?", None, "kz", ("ru", "KZ")),
    ],
)
def test_cyrillic_is_russian_unless_it_is_said_otherwise(
    text: str, language: str | None, country: str | None, expected: tuple[str, str]
) -> None:
    typed = replace(TYPED, prompts=(text,), language=language, country=country)

    new = new_check(typed, ONE_KEY, demo=False, stdin=io.StringIO())

    assert new.prompts == (NewPrompt(text, *expected),)


def test_prompts_come_from_a_file_without_its_comments(tmp_path: Path) -> None:
    file = tmp_path / "prompts.txt"
    file.write_bytes("\ufeff# banks\nЛучший банк?\n\n  Best bank?  \r\n".encode())

    new = new_check(replace(TYPED, prompts=(), file=file), ONE_KEY, demo=False, stdin=io.StringIO())

    assert [prompt.text for prompt in new.prompts] == ["Лучший банк?", "Best bank?"]


def test_prompts_come_from_standard_input() -> None:
    typed = replace(TYPED, file=STDIN)

    new = new_check(typed, ONE_KEY, demo=False, stdin=io.StringIO("one\ntwo\n"))

    assert [prompt.text for prompt in new.prompts] == ["Best bank?", "one", "two"]


def test_without_engines_all_that_have_a_key_are_asked() -> None:
    assert new_check(TYPED, ONE_KEY, demo=False, stdin=io.StringIO()).engines == ("perplexity",)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (replace(TYPED, brand=None), "--brand"),
        (replace(TYPED, prompts=()), "at least one prompt"),
        (
            replace(TYPED, engines=("copilot",)),
            "no engine 'copilot'; there are chatgpt, perplexity",
        ),
        (replace(TYPED, engines=("chatgpt",)), "set QUOTH_CHATGPT_API_KEY, or start with --demo"),
        (replace(TYPED, file=Path("/nowhere/prompts.txt")), "cannot be read: No such file"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(typed: Typed, sentence: str) -> None:
    with pytest.raises(Refusal, match=sentence) as refusal:
        new_check(typed, ONE_KEY, demo=False, stdin=io.StringIO())

    assert refusal.value.exit_code == 2


def test_without_any_key_the_variables_and_the_demo_are_named() -> None:
    with pytest.raises(
        Refusal, match="QUOTH_CHATGPT_API_KEY or QUOTH_PERPLEXITY_API_KEY, or add --demo"
    ):
        new_check(TYPED, NO_KEYS, demo=False, stdin=io.StringIO())
