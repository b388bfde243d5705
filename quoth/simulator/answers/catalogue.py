"""What the simulated engines know: industries, their brands and the pages about them."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_CASES = ("name", "gen", "dat", "acc", "ins", "loc")
_CONSONANTS = "бвгджзйклмнпрстфхцчшщbcdfghjklmnpqrstvwxz"


@dataclass(frozen=True, slots=True)
class Page:
    """A page that an answer can cite."""

    url: str
    title: str
    snippet: str

    @property
    def domain(self) -> str:
        """The site, as an engine names it."""
        return self.url.split("/")[2].removeprefix("www.")


@dataclass(frozen=True, slots=True)
class Brand:
    """A brand: its names with their Russian cases, and what can be said of it.

    `does` are predicates ("opens an account in a day"), `has` are things ("free transfers").
    """

    names: tuple[tuple[str, ...], ...]
    page: Page | None
    weight: float
    does: tuple[str, ...]
    has: tuple[str, ...]
    best: str
    price: str

    @property
    def name(self) -> str:
        """The name it is known by."""
        return self.names[0][0]

    def forms(self, names: int, *, quoted: bool) -> Mapping[str, str]:
        """Return one of its names in each case, also after a Russian preposition."""
        shape = "«{}»" if quoted else "{}"
        bare = dict(zip(_CASES, self.names[names], strict=True))
        forms = {case: shape.format(word) for case, word in bare.items()}
        return forms | {
            "in": _joined("в", "во", "вф", forms["loc"]),
            "with": _joined("с", "со", "сзшж", forms["ins"]),
            "to": f"к {forms['dat']}",
            "of": f"у {forms['gen']}",
        }


@dataclass(frozen=True, slots=True)
class Industry:
    """One field in one language. `words` are beginnings of words that tell of it."""

    language: str
    words: tuple[str, ...]
    one: str
    title: str
    price: str
    openings: tuple[str, ...]
    advice: tuple[str, ...]
    queries: tuple[str, ...]
    pages: tuple[Page, ...]
    brands: tuple[Brand, ...]


def language_of(prompt: str) -> str:
    """Return "ru" where a third of the words or more are Cyrillic, else "en"."""
    words = re.findall(r"[^\W\d_]+", prompt)
    cyrillic = sum("а" <= word[0].lower() <= "я" or word[0] in "ёЁ" for word in words)
    return "ru" if words and cyrillic * 3 >= len(words) else "en"


def industry_of(prompt: str) -> Industry:
    """Return the industry that the prompt is about, in its language, or the general one."""
    words = re.findall(r"[\w-]+", prompt.casefold())
    language = language_of(prompt)
    known = [industry for industry in industries() if industry.language == language]
    return max(known, key=lambda industry: _fits(industry, words))


def _fits(industry: Industry, words: list[str]) -> float:
    hits = sum(any(word.startswith(start) for start in industry.words) for word in words)
    # The general one has no words of its own and wins over those that fit not at all.
    return hits if industry.words else 0.5


def named_in(prompt: str, industry: Industry) -> list[Brand]:
    """Return the brands of the industry that the prompt itself names."""
    lowered = prompt.casefold()
    return [
        brand
        for brand in industry.brands
        if any(
            re.search(rf"(?<!\w){re.escape(form.casefold())}(?!\w)", lowered)
            for forms in brand.names
            for form in forms
        )
    ]


@cache
def industries() -> tuple[Industry, ...]:
    """Return all industries in all languages."""
    texts = files(__package__) / "texts"
    found = sorted(
        (text for text in texts.iterdir() if text.name.count(".") == 2), key=lambda text: text.name
    )
    return tuple(
        _industry(text.name.split(".")[1], tomllib.loads(text.read_text("utf-8")))
        for text in found
        if text.name.endswith(".toml")
    )


@cache
def phrases(language: str) -> Mapping[str, Any]:
    """Return how answers are phrased in a language."""
    text = files(__package__) / "texts" / f"{language}.toml"
    return tomllib.loads(text.read_text("utf-8"))


def _industry(language: str, given: Mapping[str, Any]) -> Industry:
    pages = [page.split(" | ") for page in given["pages"]]
    return Industry(
        language,
        tuple(given["words"]),
        given["one"],
        given["title"],
        given["price"],
        tuple(given["openings"]),
        tuple(given["advice"]),
        tuple(given["queries"]),
        tuple(_page(address, title, given["openings"][0]) for address, title in pages),
        tuple(_brand(brand) for brand in given["brand"]),
    )


def _brand(given: Mapping[str, Any]) -> Brand:
    names = tuple(_cases(name.split(", ")) for name in given["names"])
    first = names[0][0]
    return Brand(
        names,
        _page(given["site"], f"{first} | {given['best']}", f"{first}: {given['has'][0]}."),
        given["weight"],
        tuple(given["does"]),
        tuple(given["has"]),
        given["best"],
        given["price"],
    )


def _cases(forms: list[str]) -> tuple[str, ...]:
    """A name that is never declined is given once."""
    return tuple(forms * len(_CASES) if len(forms) == 1 else forms)


def _page(address: str, title: str, snippet: str) -> Page:
    return Page(f"https://{address}", title, snippet)


def _joined(short: str, long: str, before: Iterable[str], word: str) -> str:
    bare = word.strip("«»")
    hard = bare[:1].lower() in before and bare[1:2].lower() in _CONSONANTS and not bare.isupper()
    return f"{long if hard else short} {word}"
