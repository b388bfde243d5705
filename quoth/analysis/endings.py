"""The forms that a name takes in a sentence, by its ending alone: no dictionary is asked."""

import re

# By the last letters of the folded word, the first that fit: what is cut off, what is put on.
_HARD = "а у ом е ы ов ам ами ах"
_HUSHING = "а у ом ем е и ы ей ов ам ами ах"
_RULES: tuple[tuple[str, int, str], ...] = (
    ("[оеиуюэы]", 0, ""),
    ("[гкхжчшщц]а", 1, "и ы е у ой ою ей"),
    ("а", 1, "ы е у ой ою"),
    ("ия", 1, "и ю ей"),
    ("я", 1, "и е ю ей ею"),
    ("й", 1, "я ю ем е и ев ям ями ях"),
    ("ь", 1, "я ю ем е и ью ей ям ями ях"),
    ("[гкхжчшщц]", 0, _HUSHING),
    ("[бвдзлмнпрстф]", 0, _HARD),
)
# A vowel may vanish before the ending: перекрёсток, перекрёстка.
_FLEETING = {"ок": ("к",), "ек": ("к", "ьк"), "ец": ("ц",)}
_WORD = re.compile(r"[а-яёa-z]+")


def inflected(folded: str) -> set[str]:
    """The forms of a folded name, without the name: each of its words in turn, the rest as it is.

    Cyrillic words take Russian endings; a Latin name of four letters or more takes an s.
    """
    forms = set()
    for match in _WORD.finditer(folded):
        for form in _forms_of(match[0], last=match.end() == len(folded)):
            forms.add(folded[: match.start()] + form + folded[match.end() :])
    return forms - {folded}


def _forms_of(word: str, *, last: bool) -> list[str]:
    if word.isascii():
        return [word + "s"] if last and len(word) > 3 and not word.endswith("s") else []
    # Words of one or two letters are particles and parts of abbreviations.
    if len(word) < 3:
        return []
    stems = [word[:-2] + short for short in _FLEETING.get(word[-2:], ())]
    forms = [stem + each for stem in stems for each in _HUSHING.split()]
    for ending, cut, endings in _RULES:
        if re.search(ending + "$", word):
            return forms + [word[: len(word) - cut] + each for each in endings.split()]
    return forms
