from dataclasses import replace

import pytest

from quoth.brands.keep_brands import GivenBrand
from quoth.capture.new_check import (
    BadCheck,
    EngineNotReady,
    NewBrand,
    NewCheck,
    NewPrompt,
    validate,
)
from tests.capture.harness import Scripted, engines_of, new_check, route

READY = engines_of(Scripted())
GOOD = new_check()


def test_a_good_check_comes_out_clean() -> None:
    new = replace(
        GOOD,
        brand=NewBrand(" Точка ", ("Tochka", "точка"), ("https://www.tochka.com/",)),
        prompts=(NewPrompt(" Лучший банк? ", "RU", "ru"),),
    )

    valid = validate(new, READY)

    assert valid.brand == GivenBrand("Точка", ("Tochka",), ("tochka.com",))
    assert [(prompt.text, prompt.language) for prompt in valid.prompts] == [("Лучший банк?", "ru")]


def test_what_is_given_twice_counts_once() -> None:
    new = replace(
        GOOD,
        prompts=(NewPrompt("А?"), NewPrompt(" А? "), NewPrompt("А?", country="KZ")),
        engines=("perplexity", "perplexity"),
        competitors=(NewBrand("Сбер", ("Sber",)), NewBrand("СБЕР", ("Сбербанк",), ("sber.ru",))),
    )

    valid = validate(new, READY)

    assert len(valid.prompts) == 2
    assert valid.engines == ("perplexity",)
    assert valid.competitors == (GivenBrand("Сбер", ("Sber", "Сбербанк"), ("sber.ru",)),)


@pytest.mark.parametrize(
    ("new", "field", "says"),
    [
        (replace(GOOD, brand=NewBrand(" ")), "brand", "empty"),
        (replace(GOOD, brand=NewBrand("Т", ("",))), "brand", "empty"),
        (replace(GOOD, brand=NewBrand("Т", domains=("нет",))), "brand", "'нет'"),
        (replace(GOOD, competitors=(NewBrand(""),)), "competitors", "empty"),
        (replace(GOOD, competitors=(NewBrand("ТОЧКА"),)), "competitors", "its own competitor"),
        (
            replace(GOOD, competitors=(NewBrand("Т-Банк", ("tochka",)),)),
            "competitors",
            "a name of both Точка and Т-Банк",
        ),
        (
            replace(GOOD, competitors=tuple(NewBrand(f"Б{n}") for n in range(51))),
            "competitors",
            "at most 50",
        ),
        (replace(GOOD, prompts=()), "prompts", "at least one"),
        (replace(GOOD, prompts=(NewPrompt("А"), NewPrompt(""))), "prompts", "prompt 2: "),
        (replace(GOOD, prompts=(NewPrompt("А", "xx"),)), "prompts", "'xx'"),
        (replace(GOOD, engines=()), "engines", "at least one"),
        (replace(GOOD, engines=("bing",)), "engines", "there are chatgpt, perplexity"),
        (replace(GOOD, samples=0), "samples", "not 0"),
        (replace(GOOD, samples=101), "samples", "1 to 100"),
        (
            new_check(prompts=101, samples=100),
            "prompts",
            "10,100",
        ),
        (replace(GOOD, idempotency_key=""), "idempotency_key", "1 to 255"),
        (replace(GOOD, idempotency_key="ключ"), "idempotency_key", "ASCII"),
    ],
)
def test_a_bad_check_is_told_which_field_is_wrong(new: NewCheck, field: str, says: str) -> None:
    with pytest.raises(BadCheck, match=says) as bad:
        validate(new, READY)

    assert bad.value.field == field


def test_an_engine_without_a_key_is_told_which_variable_to_set() -> None:
    new = replace(GOOD, engines=("perplexity", "chatgpt"))

    with pytest.raises(EngineNotReady, match=r"OPENAI_API_KEY.*--demo"):
        validate(new, READY)


def test_ten_thousand_captures_are_allowed() -> None:
    ready = engines_of(Scripted(), Scripted(route("chatgpt")))
    new = new_check(prompts=50, samples=100, engines=("chatgpt", "perplexity"))

    assert len(validate(new, ready).prompts) == 50


def test_requests_for_the_same_have_the_same_digest_and_others_another() -> None:
    digest = validate(GOOD, READY).digest

    same = replace(GOOD, brand=replace(GOOD.brand, name=" Точка "), started_by="api")
    assert validate(same, READY).digest == digest
    assert validate(replace(GOOD, samples=2), READY).digest != digest
    assert validate(replace(GOOD, competitors=()), READY).digest != digest
