"""What one setting is: its names, its parser, its default, its words, and how it may be shown."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlsplit

T_co = TypeVar("T_co", covariant=True)

HIDDEN = "(hidden)"


class BadSettings(ValueError):
    """A setting is unknown or wrong; the text is one sentence for whoever set it."""


def as_is(text: str) -> str:
    """Nothing to hide."""
    return text


def hide(_text: str) -> str:
    """All to hide."""
    return HIDDEN


def hide_password(text: str) -> str:
    """Hide the password in an address or in `key=value` words; the rest is of use."""
    try:
        password = urlsplit(text).password
    except ValueError:
        return HIDDEN
    if password:
        text = text.replace(f":{password}@", ":***@", 1)
    return re.sub(
        r"((?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&]+)", r"\1***", text, flags=re.IGNORECASE
    )


@dataclass(frozen=True, slots=True)
class Setting(Generic[T_co]):
    """`default` None means unset; `implied` says in words what then holds.

    `name` is the key in the file (`table.key` in a table). With `or_file` the value may also be
    given as a file that holds it: `<VARIABLE>_FILE`, `<name>_file`.
    """

    name: str
    variable: str
    kind: str
    parse: Callable[[str], T_co]
    default: str | None
    doc: str
    implied: str = ""
    shown: Callable[[str], str] = as_is
    or_file: bool = False

    @property
    def secret(self) -> bool:
        """Whether its value is never shown."""
        return self.shown is hide

    def read(self, text: str, source: str) -> T_co:
        """Parse what `source` says; raises `BadSettings`, whose text does not repeat a secret."""
        try:
            return self.parse(text)
        except ValueError as error:
            # The cause is cut off: a parser's own words may quote the value.
            said = "" if self.shown is not as_is else f", not {_short(text)!r}"
            raise BadSettings(f"{source} {error}{said}.") from None


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"
