"""Where an answer names a brand.

The first reader: names and aliases, and the endings that Russian puts on them. It cannot tell a
brand from a common word written the same (Target, Точка) and takes no look-alike letters. On the
139 labelled texts of the development set `tests/analysis/test_measured.py` holds its precision and
recall.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from quoth.analysis.boundaries import parts_words
from quoth.analysis.endings import inflected
from quoth.analysis.fold import Folded, fold
from quoth.analysis.prose import Prose, read_prose

_MARKS_OF_LATIN = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_END = ""
# Abbreviations are not declined: ВТБ.
_SHORTEST_DECLINED = 5


@dataclass(frozen=True, slots=True)
class Watched:
    """A brand, and all by which it goes."""

    id: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """`text[start:end]` is `surface`, and names the brand."""

    brand_id: int
    start: int
    end: int
    surface: str


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write a name. `proper`: only with its capital letter it is surely the name."""

    brand_id: int
    proper: bool


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of a set of brands, ready to be found: a tree by character, forms at its ends."""

    tree: dict[str, Any]
    first: re.Pattern[str]
    with_dots: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Candidate:
    start: int
    end: int
    form: _Form


def find_mentions(text: str, brands: Sequence[Watched]) -> list[Mention]:
    """Every place in `text` that names one of `brands`, in order.

    Whole words only, however they are written (letter case, ё, kinds of hyphen and space), with the
    endings of a sentence where they keep the name's capital letter. Of names that overlap the
    longest counts, once; of brands with the same name, the first. Link targets, code and addresses
    are no prose. Offsets are code points of the text as given.
    """
    names = _names_of(tuple(brands))
    if not names.tree:
        return []
    prose = read_prose(text, names.with_dots)
    folded = fold(prose.text)
    found = [
        candidate for candidate in _candidates(folded, names) if _is_named(candidate, folded, prose)
    ]
    mentions = []
    for candidate in _longest(found, len(folded.text)):
        start, end = folded.starts[candidate.start], folded.ends[candidate.end - 1]
        mentions.append(Mention(candidate.form.brand_id, start, end, text[start:end]))
    return mentions


@lru_cache(maxsize=256)
def _names_of(brands: tuple[Watched, ...]) -> _Names:
    tree: dict[str, Any] = {}
    with_dots = set()
    as_given = [(form, _Form(brand.id, False)) for brand in brands for form in _given(brand)]
    # After all names as they are given, so that one brand's ending never hides another's name.
    for text, form in as_given + [declined for brand in brands for declined in _declined(brand)]:
        branch = tree
        for character in text:
            branch = branch.setdefault(character, {})
        branch.setdefault(_END, form)
        if "." in text:
            with_dots.add(text)
    first = re.compile("[" + re.escape("".join(tree)) + "]") if tree else re.compile(r"(?!)")
    return _Names(tree, first, frozenset(with_dots))


def _given(brand: Watched) -> Iterator[str]:
    """The names, folded, and without the marks of their Latin letters, as people type them.

    The text keeps its marks: Nestlé is found in «Nestle», but Uber is not found in «über».
    """
    for folded in map(_folded, brand.names):
        if any(character.isalnum() for character in folded):
            plain = _MARKS_OF_LATIN.sub("", unicodedata.normalize("NFD", folded))
            yield folded
            yield unicodedata.normalize("NFC", plain)


def _declined(brand: Watched) -> Iterator[tuple[str, _Form]]:
    for name in brand.names:
        if not (name.isupper() and len(name) < _SHORTEST_DECLINED):
            form = _Form(brand.id, any(character.isupper() for character in name))
            yield from ((declined, form) for declined in sorted(inflected(_folded(name))))


def _folded(name: str) -> str:
    return fold(name).text.strip()


def _candidates(folded: Folded, names: _Names) -> Iterator[_Candidate]:
    text = folded.text
    for match in names.first.finditer(text):
        start = match.start()
        if not parts_words(text, start):
            continue
        branch, end = names.tree, start
        while end < len(text) and (deeper := branch.get(text[end])) is not None:
            branch, end = deeper, end + 1
            if _END in branch and parts_words(text, end) and folded.whole(start, end):
                yield _Candidate(start, end, branch[_END])


def _is_named(candidate: _Candidate, folded: Folded, prose: Prose) -> bool:
    """A form with an ending has its capital; inline code is the name and nothing else."""
    start, end = folded.starts[candidate.start], folded.ends[candidate.end - 1]
    if candidate.form.proper and not any(map(str.isupper, prose.text[start:end])):
        return False
    place = bisect(prose.codes, (start, len(prose.text))) - 1
    if place < 0 or start >= prose.codes[place][1]:
        return True
    return prose.text[slice(*prose.codes[place])].strip() == prose.text[start:end]


def _longest(candidates: Sequence[_Candidate], length: int) -> list[_Candidate]:
    taken = bytearray(length)
    kept = []
    for one in sorted(candidates, key=lambda one: (one.start - one.end, one.start)):
        if 1 not in taken[one.start : one.end]:
            taken[one.start : one.end] = bytes([1]) * (one.end - one.start)
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)
