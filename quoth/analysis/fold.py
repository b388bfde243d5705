"""Text as names are compared in it, with the way back to the text as it was written."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

# Stands for what is no text: it is no letter, no space and no part of any name.
GAP = "\ue000"
PARAGRAPH = "\n"

# One piece each: an entity, what Markdown would take for its own but for a backslash, white space,
# and a character with the marks that belong to it.
_PIECE = re.compile(
    r"&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
    r"|\\[!-/:-@\[-`{-~]"
    r"|\s+"
    r"|.[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]*",
    re.DOTALL,
)
_STRESS = re.compile("(?<=[\u0400-\u04ff])[\u0300\u0301]")
_SAME = str.maketrans(
    dict.fromkeys("‘’‚‛‹›`´ʹʼ′＇", "'") | dict.fromkeys("“”„‟«»″＂", '"') | {"ё": "е", "−": "-"}
)


@dataclass(frozen=True, slots=True)
class Folded:
    """`text` is folded; its character `i` came from `starts[i]` to `ends[i]` of the original."""

    text: str
    starts: list[int]
    ends: list[int]

    def whole(self, start: int, end: int) -> bool:
        """Tell whether the range cuts no original character in two (ß gives two)."""
        return (start == 0 or self.starts[start] != self.starts[start - 1]) and (
            end == len(self.text) or self.starts[end] != self.starts[end - 1]
        )


def fold(text: str) -> Folded:
    """Fold letter case, composed and decomposed letters, ё and е, kinds of space, dash and quote.

    Soft hyphens, zero-width characters and stress marks vanish; white space is one space, or one
    line break where a blank line parts two paragraphs.
    """
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _PIECE.finditer(text):
        for character in _fold_piece(match[0]):
            folded.append(character)
            starts.append(match.start())
            ends.append(match.end())
    return Folded("".join(folded), starts, ends)


@lru_cache(maxsize=16_384)
def _fold_piece(piece: str) -> str:
    if piece.isspace():
        return PARAGRAPH if piece.count("\n") > 1 else " "
    if len(piece) > 1 and piece[0] == "&":
        piece = _decode(piece)
    elif len(piece) > 1 and piece[0] == "\\":
        piece = piece[1:]
    # NFKC would glue the 1 of `Notion¹` and the TM of `Notion™` to the name.
    if unicodedata.decomposition(piece[0]).startswith(("<super>", "<sub>", "<circle>")):
        return GAP
    letters = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", piece).casefold())
    # Casefold leaves the dot of the Turkish İ standing beside its i.
    letters = _STRESS.sub("", letters.replace("i\u0307", "i")).translate(_SAME)
    return "".join(_fold_character(character) for character in letters)


def _fold_character(character: str) -> str:
    if "\ufe00" <= character <= "\ufe0f" or character == "\u034f":
        return ""
    match unicodedata.category(character):
        case "Cf":
            return ""
        case "Pd":
            return "-"
        case "Zs":
            return " "
        case _:
            return character


def _decode(entity: str) -> str:
    character = unescape(entity)
    return character if len(character) == 1 else entity
