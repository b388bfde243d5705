"""Carries marks through Markdown: spans of the raw text become invisible characters, and back."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quoth.capture.views.shapes import MentionView

# Noncharacters: no text has a use for them, and Markdown takes them for letters. A mark opens with
# OPEN, its number in DIGITS and STOP, and closes with CLOSE.
OPEN, STOP, CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
DIGITS = "\ufdd6\ufdd7\ufdd8\ufdd9\ufdda\ufddb\ufddc\ufddd\ufdde\ufddf"
TO_DIGITS = str.maketrans("0123456789", DIGITS)
FROM_DIGITS = str.maketrans(DIGITS, "0123456789")

OURS = re.compile("[\ufdd0-\ufdef]")
MARK = re.compile(f"{OPEN}([{DIGITS}]+){STOP}|{CLOSE}")


def with_marks(text: str, mentions: Sequence[MentionView]) -> str:
    """The text with a mark around each mention, numbered by its place in `mentions`."""
    numbered = sorted(enumerate(mentions), key=lambda each: (each[1].start, each[1].end))
    parts, at = [], 0
    for number, mention in numbered:
        if not at <= mention.start < mention.end <= len(text):
            continue  # Spans never overlap; one that does is not worth a broken page.
        opened = f"{OPEN}{str(number).translate(TO_DIGITS)}{STOP}"
        parts += [_clean(text[at : mention.start]), opened]
        parts += [_clean(text[mention.start : mention.end]), CLOSE]
        at = mention.end
    return "".join((*parts, _clean(text[at:])))


def without_marks(text: str) -> str:
    """The text, or an address, as it would be without marks."""
    return OURS.sub("", text)


@dataclass(slots=True)
class Marker:
    """Goes through an answer's pieces in order, and knows which mark is open."""

    open: int | None = None

    def pieces(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Pieces of the text, each with the number of the mark that it stands in."""
        at = 0
        for found in MARK.finditer(text):
            if found.start() > at:
                yield text[at : found.start()], self.open
            self.open = int(found[1].translate(FROM_DIGITS)) if found[1] else None
            at = found.end()
        if at < len(text):
            yield text[at:], self.open


def _clean(text: str) -> str:
    """What looks like a mark of ours and is the answer's own is shown as unreadable."""
    return OURS.sub("\ufffd", text)
