import sys
from subprocess import run

import pytest

from quoth.simulator.answers.catalogue import (
    Page,
    industries,
    industry_of,
    language_of,
    phrases,
)
from quoth.simulator.answers.write_answer import Answer, write_answer

QUESTIONS = [
    "лучший банк для ИП?",
    "Какую CRM выбрать небольшому магазину?",
    "на каком маркетплейсе продавать одежду",
    "Какой облачный провайдер выбрать?",
    "Посоветуйте беговые кроссовки",
    "Где купить кофе в зёрнах?",
    "Какая школа английского лучше?",
    "сервис для управления проектами",
    "где заказать суши в Казани",
    "best business bank account",
    "best CRM for a startup",
    "where to sell online: which marketplace?",
    "best cloud hosting for a small app",
    "best running shoes for beginners",
    "best espresso beans",
    "best app to learn Spanish",
    "best project management tool",
    "best place to stay in Lisbon",
]


def words(answer: Answer) -> str:
    return "".join(piece for piece in answer.pieces if isinstance(piece, str))


def some(question: str, engine: str = "chatgpt", times: int = 40) -> list[str]:
    return [
        words(write_answer(question, engine=engine, nth=nth, seed=1)) for nth in range(1, times + 1)
    ]


def test_the_same_seed_question_engine_and_purchase_give_the_same_answer() -> None:
    def answer(**other: object) -> Answer:
        given = {"engine": "chatgpt", "nth": 1, "seed": 1} | other
        return write_answer(
            QUESTIONS[0],
            engine=str(given["engine"]),
            nth=int(str(given["nth"])),
            seed=int(str(given["seed"])),
        )

    assert answer() == answer()
    others = [answer(nth=2), answer(seed=2), answer(engine="perplexity")]
    assert all(answer() != other for other in others)


def test_another_process_gives_the_same_answer() -> None:
    program = (
        "from quoth.simulator.answers.write_answer import write_answer as write\n"
        f"print(repr(write({QUESTIONS[0]!r}, engine='chatgpt', nth=1, seed=1)))"
    )

    told = {
        run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ".", "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout.decode()
        for seed in ("1", "2")
    }

    assert told == {f"{write_answer(QUESTIONS[0], engine='chatgpt', nth=1, seed=1)!r}\n"}


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_question_has_an_industry_of_its_own(question: str) -> None:
    language = language_of(question)
    industry = industry_of(question)

    assert industry.language == language
    assert bool(industry.words) == (question not in (QUESTIONS[8], QUESTIONS[17]))
    assert len({industry_of(other).title for other in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("engine", ["chatgpt", "perplexity"])
def test_answers_name_brands_cite_pages_and_are_well_formed(question: str, engine: str) -> None:
    names = [brand.names for brand in industry_of(question).brands]
    for nth in range(1, 30):
        answer = write_answer(question, engine=engine, nth=nth, seed=3)

        text = words(answer)
        named = [forms for forms in names if any(f in text for form in forms for f in form)]
        cited = [piece for piece in answer.pieces if isinstance(piece, Page)]
        assert len(named) >= 4
        assert cited
        assert set(cited) < set(answer.pages)
        assert "{" not in text
        assert ".." not in text
        assert 300 < len(text) < 4_000
        assert answer.queries[0] == question


def test_brands_come_in_lists_in_prose_and_in_tables() -> None:
    answers = some(QUESTIONS[0])

    assert any("1. " in answer for answer in answers)
    assert any("| --- |" in answer for answer in answers)
    assert any("##" not in answer and "|" not in answer for answer in answers)


def test_russian_names_are_declined_and_sometimes_quoted() -> None:
    everything = "\n".join(some(QUESTIONS[0], times=200) + some(QUESTIONS[0], "perplexity", 200))

    for form in ("в Точке", "у Сбера", "с Точкой", "Точку", "Т-Банка", "«", "Тинькофф"):
        assert form.casefold() in everything.casefold()


def test_prepositions_fit_the_names_that_follow() -> None:
    brands = {brand.name: brand for brand in industry_of(QUESTIONS[0]).brands}

    sber = brands["Сбер"].forms(0, quoted=True)
    tochka = brands["Точка"].forms(0, quoted=False)
    vtb = brands["ВТБ"].forms(0, quoted=False)

    assert (sber["with"], sber["in"]) == ("со «Сбером»", "в «Сбере»")
    assert (tochka["with"], tochka["to"], tochka["of"]) == ("с Точкой", "к Точке", "у Точки")
    assert vtb["in"] == "в ВТБ"


def test_engines_disagree_about_brands() -> None:
    def shares(engine: str) -> list[int]:
        answers = some(QUESTIONS[0], engine, 100)
        return [
            sum(brand.names[0][0] in answer for answer in answers)
            for brand in industry_of(QUESTIONS[0]).brands
        ]

    chatgpt, perplexity = shares("chatgpt"), shares("perplexity")
    assert max(abs(a - b) for a, b in zip(chatgpt, perplexity, strict=True)) > 25
    assert sum(10 < share < 95 for share in chatgpt) >= 3


@pytest.mark.parametrize(
    ("question", "stranger"),
    [
        ("Стоит ли брать CRM «Василёк»?", "Василёк"),
        ("Что лучше: Zapfloo или Битрикс24 для CRM?", "Zapfloo"),
        ("Is Zapfloo a good CRM?", "Zapfloo"),
    ],
)
def test_a_brand_that_nobody_knows_is_named_when_asked_about_but_not_always(
    question: str, stranger: str
) -> None:
    named = sum(stranger in answer for answer in some(question))

    assert 15 < named < 40


def test_a_known_brand_in_the_question_is_in_the_answer() -> None:
    assert all("Ак Барс" in answer for answer in some("Подойдёт ли банк Ак Барс для ИП?"))


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("лучшая crm", "ru"),
        ("Сравни Notion и Trello", "ru"),
        ("compare Точка and Wise accounts", "en"),
        ("best CRM", "en"),
        ("", "en"),
        ("42?", "en"),
    ],
)
def test_the_language_is_the_prompts(question: str, language: str) -> None:
    assert language_of(question) == language
    assert write_answer(question, engine="chatgpt", nth=1, seed=1).language == language


def test_the_catalogue_holds_eight_industries_and_a_general_one_in_each_language() -> None:
    for language in ("ru", "en"):
        own = [industry for industry in industries() if industry.language == language]
        assert len(own) == 9
        assert phrases(language)["stranger"]


def test_text_that_breaks_off_keeps_its_beginning() -> None:
    answer = write_answer(QUESTIONS[0], engine="chatgpt", nth=1, seed=1)

    assert words(answer).startswith(words(answer.cut()))
    assert len(words(answer.cut())) < len(words(answer))
