"""Writes an engine's answer: the same one for the same seed, question, engine and purchase."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from quoth.simulator.answers.catalogue import (
    Brand,
    Industry,
    Page,
    industry_of,
    named_in,
    phrases,
)
from quoth.simulator.chance import dice, happens

_QUOTED = re.compile(r"[«“\"]([^«»“”\"\n]{2,40})[»”\"]")
_FOREIGN = re.compile(r"(?<![\w.])(?<!^)([A-Z][\w&.-]*[a-z][\w&-]*(?: [A-Z][\w&-]*[a-z]\w*)?)")
_CYRILLIC = re.compile(r"[А-Яа-яЁё]")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer before any engine's wire format: words and, where one is cited, a page.

    `pages` are all that the search found, also those that the answer does not cite;
    `aside` is what the model says before it searches.
    """

    language: str
    pieces: tuple[str | Page, ...]
    pages: tuple[Page, ...]
    queries: tuple[str, ...]
    aside: str

    def cut(self) -> "Answer":
        """Return the first half of it, broken off in the middle of a sentence."""
        half = self.pieces[: max(len(self.pieces) // 2, 1)]
        last = half[-1]
        broken = last[: max(len(last) * 2 // 3, 1)] if isinstance(last, str) else last
        return replace(self, pieces=(*half[:-1], broken))

    def uncited(self) -> "Answer":
        """Return it without a link in the text."""
        words = "".join(piece for piece in self.pieces if isinstance(piece, str))
        return replace(self, pieces=(words,))


@dataclass(frozen=True, slots=True)
class Named:
    """A brand as this answer speaks of it."""

    brand: Brand
    words: Mapping[str, str]


def write_answer(question: str, *, engine: str, nth: int, seed: int) -> Answer:
    """Answer `question` the way `engine` does when it is asked the `nth` time."""
    luck = dice(seed, engine, question, nth)
    industry = industry_of(question)
    writer = _Writer(luck, industry, phrases(industry.language))
    named = [writer.named(brand) for brand in _chosen(question, industry, engine, luck)]
    shapes = (_ranking, _prose, _comparison)
    odds = (0.45, 0.3, 0.25) if engine == "chatgpt" else (0.25, 0.5, 0.25)
    [shape] = luck.choices(shapes, odds)
    pieces = tuple(_merged(shape(writer, named)))
    cited = [piece for piece in pieces if isinstance(piece, Page)]
    rest = [page for page in industry.pages if page not in cited]
    pages = list(dict.fromkeys([*cited, *luck.sample(rest, min(len(rest), 3))]))
    luck.shuffle(pages)
    return Answer(
        industry.language,
        pieces,
        tuple(pages),
        (question.strip()[:200], *luck.sample(industry.queries, luck.randint(1, 2))),
        writer.phrase("asides", luck.choice(named[:2])),
    )


def _chosen(question: str, industry: Industry, engine: str, luck: Random) -> list[Brand]:
    """The brands that the answer names, best first: what is asked about, then what is known."""
    asked = named_in(question, industry)

    def standing(brand: Brand) -> float:
        # Each engine has its own opinion of a brand, and changes it a little each time.
        opinion = dice("opinion", engine, brand.name).uniform(-0.3, 0.3)
        return brand.weight + opinion + luck.gauss(0, 0.2) + (0.5 if brand in asked else 0)

    ranked = sorted(industry.brands, key=standing, reverse=True)
    chosen = ranked[: luck.randint(4, 6)]
    chosen += [brand for brand in asked if brand not in chosen]
    for name in _unknown_in(question, asked):
        if happens(luck, 0.7):
            stranger = _stranger(name, industry.language, luck)
            chosen.insert(luck.randint(2, len(chosen)), stranger)
    return chosen


def _unknown_in(question: str, known: Sequence[Brand]) -> list[str]:
    names = [name.strip() for name in _QUOTED.findall(question)]
    names += _FOREIGN.findall(_QUOTED.sub(" ", question))
    familiar = {form.casefold() for brand in known for forms in brand.names for form in forms}
    return list(dict.fromkeys(name for name in names if name.casefold() not in familiar))[:4]


def _stranger(name: str, language: str, luck: Random) -> Brand:
    said = phrases(language)["stranger"]
    return Brand(
        ((name,) * 6,),
        None,
        0.5,
        tuple(luck.sample(said["does"], 2)),
        (luck.choice(said["has"]),),
        luck.choice(said["best"]),
        luck.choice(said["price"]),
    )


Pieces = Iterator[str | Page]


@dataclass(frozen=True, slots=True)
class _Writer:
    luck: Random
    industry: Industry
    phrases: Mapping[str, Any]
    used: set[str] = field(default_factory=set)

    def named(self, brand: Brand) -> Named:
        """Choose by which of its names, and whether in quotes, this answer calls a brand."""
        others = len(brand.names) - 1
        which = self.luck.randint(1, others) if others and happens(self.luck, 0.25) else 0
        quoted = bool(_CYRILLIC.match(brand.names[which][0])) and happens(self.luck, 0.2)
        forms = brand.forms(which, quoted=quoted)
        does = self.luck.sample(brand.does, 2)
        rest = {"has": self.luck.choice(brand.has), "best": brand.best, "price": brand.price}
        return Named(brand, {**forms, **rest, "does": does[0], "also": does[1]})

    def phrase(self, kind: str, of: Named, other: Named | None = None) -> str:
        """Say something of a brand, perhaps against another."""
        industry = self.industry
        words = {"one": industry.one, "title": industry.title, **of.words}
        if other:
            words |= {f"other_{key}": word for key, word in other.words.items()}
        phrase = self._fresh(kind)
        said = phrase.format(**words)
        # A brand is written as it writes itself, also where a sentence begins with it.
        return said if phrase.startswith("{name}") else _capital(said)

    def _fresh(self, kind: str) -> str:
        """Choose a phrase that this answer has not used, as long as there is one."""
        known: list[str] = self.phrases[kind]
        phrase = self.luck.choice([it for it in known if it not in self.used] or known)
        self.used.add(phrase)
        return phrase

    def cite(self, of: Named, odds: float = 0.75) -> Pieces:
        """Perhaps cite the brand's own page or one about the industry."""
        if happens(self.luck, odds):
            own = of.brand.page if happens(self.luck, 0.5) else None
            yield own or self.luck.choice(self.industry.pages)

    def heading(self, count: int) -> str:
        """Return a heading over `count` brands."""
        heading = self._fresh("headings")
        return _capital(heading.format(title=self.industry.title, count=count))

    def ending(self) -> Pieces:
        """Close with advice."""
        yield f"\n{self.phrases['advice']}\n\n"
        for advice in self.luck.sample(self.industry.advice, 2):
            yield f"- {advice}\n"
        yield f"\n{self.luck.choice(self.phrases['endings'])}"


def _ranking(writer: _Writer, named: Sequence[Named]) -> Pieces:
    numbered = happens(writer.luck, 0.7)
    yield f"## {writer.heading(len(named))}\n\n{writer.luck.choice(writer.industry.openings)}\n\n"
    for place, one in enumerate(named, start=1):
        yield f"{place}. " if numbered else "- "
        yield writer.phrase("items", one)
        yield from writer.cite(one, 1 if place == 1 else 0.75)
        yield "\n"
    yield from writer.ending()


def _prose(writer: _Writer, named: Sequence[Named]) -> Pieces:
    first, second, *rest = named
    yield f"{writer.luck.choice(writer.industry.openings)} "
    yield writer.phrase("firsts", first)
    yield from writer.cite(first, 1)
    yield " "
    yield writer.phrase("versus", second, first)
    yield from writer.cite(second)
    yield "\n\n"
    for one in rest:
        # A name that we cannot decline is only used where nothing has to be declined.
        known = one.brand.page is not None
        yield writer.phrase("sentences" if known else "items", one)
        yield from writer.cite(one, 0.6)
        yield " "
    yield "\n"
    yield from writer.ending()


def _comparison(writer: _Writer, named: Sequence[Named]) -> Pieces:
    head = [*writer.phrases["columns"], writer.industry.price]
    yield f"{writer.luck.choice(writer.industry.openings)}\n\n"
    yield f"| {' | '.join(head)} |\n|{' --- |' * len(head)}\n"
    for one in named:
        yield f"| **{one.words['name']}** | {one.words['best']} | {one.words['has']}"
        yield from writer.cite(one, 0.5)
        yield f" | {one.words['price']} |\n"
    yield "\n"
    yield writer.phrase("firsts", named[0])
    yield from writer.cite(named[0], 1)
    yield " "
    yield writer.phrase("versus", named[1], named[0])
    yield "\n"
    yield from writer.ending()


def _merged(pieces: Pieces) -> Pieces:
    """Join neighbouring words, so that only pages stand between them."""
    words = ""
    for piece in pieces:
        if isinstance(piece, str):
            words += piece
            continue
        if words:
            yield words
        words = ""
        yield piece
    yield words.rstrip()


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
