"""Where an answer names a brand.

The first reader: names and aliases as they are given, and no other form of them. It finds no
inflected name («в Сбербанке»), cannot tell a brand from a common word written the same (Target,
Точка), and takes no look-alike letters. On the 139 labelled texts of the development set its
precision is 0.73 and its recall 0.74 (`tests/analysis/test_measured.py`): all that it misses or
takes wrongly is of these three kinds.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from quoth.analysis.boundaries import parts_words
from quoth.analysis.fold import Folded, fold
from quoth.analysis.prose import Prose, read_prose

_MARKS_OF_LATIN = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_END = ""


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
class _Names:
    """The names of a set of brands, ready to be found: a tree by character, brands at its ends."""

    tree: dict[str, Any]
    first: re.Pattern[str]
    with_dots: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Candidate:
    start: int
    end: int
    brand_id: int


def find_mentions(text: str, brands: Sequence[Watched]) -> list[Mention]:
    """Every place in `text` that names one of `brands`, in order.

    Whole words only, however they are written (letter case, ё, kinds of hyphen and space); of names
    that overlap the longest counts, once; of brands with the same name, the first. Link targets,
    code and addresses are no prose. Offsets are code points of the text as given.
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
        mentions.append(Mention(candidate.brand_id, start, end, text[start:end]))
    return mentions


@lru_cache(maxsize=256)
def _names_of(brands: tuple[Watched, ...]) -> _Names:
    tree: dict[str, Any] = {}
    forms = set()
    for brand in brands:
        for name in brand.names:
            for form in _forms_of(name):
                forms.add(form)
                branch = tree
                for character in form:
                    branch = branch.setdefault(character, {})
                branch.setdefault(_END, brand.id)
    first = re.compile("[" + re.escape("".join(tree)) + "]") if tree else re.compile(r"(?!)")
    return _Names(tree, first, frozenset(form for form in forms if "." in form))


def _forms_of(name: str) -> set[str]:
    """The folded name, and without the marks of its Latin letters, as people type it (Nestlé).

    The text keeps its marks: a brand named Uber is not found in «über».
    """
    folded = fold(name).text.strip()
    if not any(character.isalnum() for character in folded):
        return set()
    plain = _MARKS_OF_LATIN.sub("", unicodedata.normalize("NFD", folded))
    return {folded, unicodedata.normalize("NFC", plain)}


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
    """Inline code names a brand only where it is the name and nothing else."""
    start, end = folded.starts[candidate.start], folded.ends[candidate.end - 1]
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
