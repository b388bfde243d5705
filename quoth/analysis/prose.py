"""What of an answer a reader sees as text: no link targets, no code, no addresses.

What is hidden is covered, never cut, so that every place in the text stays where it is.
"""

import re
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass

from quoth.analysis.fold import GAP, fold

# Every repetition that could be tried from many starts is bounded: hostile text costs linear time.
_TARGET = (
    r"\((?:<[^<>\n]{0,2000}>|(?:[^()\s]|\([^()\s]{0,500}\)){0,2000})"
    r"""(?:\s{1,9}(?:"[^"\n]{0,500}"|'[^'\n]{0,500}'))?\s{0,9}\)"""
)
_HIDDEN = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"<!--(?:[^-]|-(?!->)){0,500}-->",
        r"<(?:https?|mailto):[^<>\s]{0,2000}>",
        r"</?[A-Za-z][^<>]{0,1000}>",
        rf"!\[[^\]\n]{{0,500}}\](?:{_TARGET}|\[[^\]\n]{{0,200}}\])",
        rf"(?<=\]){_TARGET}",
        r"(?<=\])\[[^\[\]\n]{0,200}\]",
        r"^ {0,3}\[[^\]\n]{1,200}\]:[^\n]*$",
        # Markers of sources: [1], [^1], [2, 5-7], and those of the engines' own.
        r"\[\^?\d{1,3}(?:\s?[,\u2013-]\s?\d{1,3}){0,20}\]",
        r"【[^】\n]{0,200}】",
        r"\ue200[^\ue201\n]{0,500}\ue201",
        r"(?i:https?://|\bwww\.)[^\s<>\"'»”)\]|]*",
    )
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
_BACKTICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# An address is a run of what addresses are made of, with the path that follows it.
_RUN = re.compile(r"([\w.+@-]+)(/[^\s<>\"'»”)\]|]*)?")
# Top-level domains in lower case, as addresses are written, and what files end with.
_DOMAINS = (
    "ai app at be bg biz br by ca ch cloud club cn co com cz de dev dk edu ee es eu fi fm fr ge gov"
    " gr hk hu ie il in info io is it jp kr kz lt lv me mil mobi name net nl no online org pl pro"
    " pt ro rs ru se shop si site sk so space store su tech tr travel tv tw ua uk us uz website"
    " xyz рф рус ру бел укр қаз москва онлайн сайт"
)
_FILES = (
    "csv doc docx gif htm html ico ini jpeg jpg js json log md mp3 mp4 pdf php png ppt pptx py rtf"
    " sql svg toml ts txt webp xls xlsx xml yaml yml zip"
)
_LAST_LABELS = frozenset((*_DOMAINS.split(), *_FILES.split()))


@dataclass(frozen=True, slots=True)
class Prose:
    """The text with all that is no prose covered, as long as it was.

    `codes` are the inline code spans, in order, without their backticks: code is prose only where
    all of it is a name.
    """

    text: str
    codes: tuple[tuple[int, int], ...]


def read_prose(text: str, kept: frozenset[str]) -> Prose:
    """Cover what is no prose; an address that is one of the folded names in `kept` stays."""
    text = _cover_fences(text)
    codes = tuple(_inline_codes(text))
    for pattern in _HIDDEN:
        text = pattern.sub(_cover, text)
    return Prose(_RUN.sub(_cover_address(kept), text), codes)


def _cover(match: re.Match[str]) -> str:
    return GAP * len(match[0])


def _cover_address(kept: frozenset[str]) -> Callable[[re.Match[str]], str]:
    def cover(match: re.Match[str]) -> str:
        name = match[1].rstrip(".-")
        if "@" not in name and "." not in name:
            return match[0]
        if "@" not in name and name.rpartition(".")[2] not in _LAST_LABELS:
            return match[0]
        return match[0] if fold(name).text in kept else _cover(match)

    return cover


def _cover_fences(text: str) -> str:
    """Cover fenced code; a fence that is never closed reaches to the end."""
    if "```" not in text and "~~~" not in text:
        return text
    lines = []
    fence = ""
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line)
        opens = match is not None and not (match[1][0] == "`" and "`" in match[2])
        closes = match is not None and match[1].startswith(fence) and not match[2].strip()
        lines.append(GAP * len(line) if fence or opens else line)
        if fence and closes:
            fence = ""
        elif not fence and opens and match is not None:
            fence = match[1]
    return "".join(lines)


def _inline_codes(text: str) -> list[tuple[int, int]]:
    """Pair each run of backticks with the next as long as it in the same paragraph."""
    runs = [match.span() for match in _BACKTICKS.finditer(text)]
    blanks = [match.start() for match in _BLANK_LINE.finditer(text)]
    partner: dict[int, int] = {}
    latest: dict[tuple[int, int], int] = {}
    for place in range(len(runs) - 1, -1, -1):
        start, end = runs[place]
        key = (end - start, bisect(blanks, start))
        if key in latest:
            partner[place] = latest[key]
        latest[key] = place
    codes = []
    place = 0
    while place < len(runs):
        if place in partner:
            codes.append((runs[place][1], runs[partner[place]][0]))
            place = partner[place]
        place += 1
    return codes
