import asyncio

import pytest
from babel import Locale

from quoth.capture.prompts import (
    COUNTRIES,
    LANGUAGES,
    BadPrompt,
    Prompt,
    PromptExists,
    PromptText,
    clean_prompt,
    edit_prompt,
    keep_prompts,
)
from quoth.storage import Database, NotFound
from tests.capture.harness import values

REVISIONS = b"select text from capture.prompt_revision order by prompt_id, revision"


async def keep(database: Database, *prompts: PromptText) -> list[Prompt]:
    async with database.transaction() as tx:
        return await keep_prompts(tx, 1, prompts)


def ru(text: str) -> PromptText:
    return PromptText(text, "ru", "RU")


def test_a_prompt_is_kept_trimmed_with_its_codes_in_one_form() -> None:
    assert clean_prompt("  Лучший\r\nбанк? \n", " RU", "gb ") == PromptText(
        "Лучший\nбанк?", "ru", "GB"
    )


@pytest.mark.parametrize(
    ("text", "language", "country", "says"),
    [
        (" \n", "ru", "RU", "empty"),
        ("x" * 4001, "ru", "RU", "4,001"),
        ("a\0b", "ru", "RU", "control"),
        ("a\x1bb", "ru", "RU", "control"),
        ("a\ud800b", "ru", "RU", "control"),
        ("a", "rus", "RU", "'rus'"),
        ("a", "ru", "UK", "'UK'"),
        ("a", "", "RU", "language"),
    ],
)
def test_what_is_no_prompt_is_refused(text: str, language: str, country: str, says: str) -> None:
    with pytest.raises(BadPrompt, match=says):
        clean_prompt(text, language, country)


def test_the_longest_prompt_is_allowed() -> None:
    assert len(clean_prompt("ы" * 4000, "ru", "RU").text) == 4000


def test_the_languages_and_countries_are_those_that_have_a_name() -> None:
    english = Locale("en")

    assert len(LANGUAGES) == 183
    assert len(COUNTRIES) == 249
    assert set(english.languages) >= LANGUAGES
    assert set(english.territories) >= COUNTRIES


async def test_the_same_text_language_and_country_is_the_same_prompt(database: Database) -> None:
    first = await keep(database, ru("А"), ru("Б"), PromptText("А", "ru", "KZ"))

    again = await keep(database, PromptText("А", "ru", "KZ"), ru("В"), ru("А"))

    assert len({prompt.id for prompt in first}) == 3
    assert again[0] == first[2]
    assert again[2] == first[0]


async def test_two_who_make_the_same_prompts_at_once_make_them_once(database: Database) -> None:
    texts = [ru(f"Вопрос {n}") for n in range(50)]

    kept = await asyncio.gather(
        keep(database, *texts), keep(database, *reversed(texts)), keep(database, *texts)
    )

    assert len({prompt.id for prompts in kept for prompt in prompts}) == 50
    assert len(await values(database, REVISIONS)) == 50


async def test_an_edit_makes_a_revision_and_keeps_the_old_one(database: Database) -> None:
    [prompt] = await keep(database, ru("А"))

    async with database.transaction() as tx:
        edited = await edit_prompt(tx, 1, prompt.id, ru("Б"))

    assert (edited.id, edited.revision, edited.text) == (prompt.id, 2, "Б")
    assert await values(database, REVISIONS) == ["А", "Б"]
    assert (await keep(database, ru("Б")))[0] == edited


async def test_the_same_text_again_is_no_edit(database: Database) -> None:
    [prompt] = await keep(database, ru("А"))

    async with database.transaction() as tx:
        assert await edit_prompt(tx, 1, prompt.id, ru("А")) == prompt


async def test_a_prompt_cannot_become_another_ones_twin(database: Database) -> None:
    [prompt, _] = await keep(database, ru("А"), ru("Б"))

    with pytest.raises(PromptExists):
        async with database.transaction() as tx:
            await edit_prompt(tx, 1, prompt.id, ru("Б"))


async def test_an_unknown_prompt_cannot_be_edited(database: Database) -> None:
    with pytest.raises(NotFound):
        async with database.transaction() as tx:
            await edit_prompt(tx, 1, 4711, ru("Б"))
