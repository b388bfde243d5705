"""Where a word ends, in any script."""

import unicodedata


def parts_words(text: str, place: int) -> bool:
    """Tell whether a word may end before `place` in the folded `text` and another begin there.

    Letters, digits and their marks hold together; an underscore holds together what stands on both
    its sides, but as emphasis (`_so_`) it parts; a hyphen parts: a compound names what it is made
    of. Chinese and Japanese put no space between words; only katakana holds together.
    """
    if place in (0, len(text)):
        return True
    before, after = text[place - 1], text[place]
    if before == "_":
        before = _beyond_underscores(text, place - 1, -1)
    elif after == "_":
        after = _beyond_underscores(text, place, 1)
    if not (_in_word(before) and _in_word(after)):
        return True
    if _is_katakana(before) and _is_katakana(after):
        return False
    return _is_unspaced(before) or _is_unspaced(after)


def _beyond_underscores(text: str, place: int, step: int) -> str:
    # More than a few are a line to write on, or an attack.
    for _ in range(4):
        if not 0 <= place < len(text):
            return " "
        if text[place] != "_":
            return text[place]
        place += step
    return " "


def _in_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _is_katakana(character: str) -> bool:
    return "\u30a1" <= character <= "\u30ff" or "\u31f0" <= character <= "\u31ff"


def _is_unspaced(character: str) -> bool:
    return (
        "\u3040" <= character <= "\u31ff"
        or "\u3400" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )
