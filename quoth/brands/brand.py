"""A brand, and what may be a name or a domain of one."""

import unicodedata
from dataclasses import dataclass
from urllib.parse import urlsplit

LONGEST_NAME = 200
LONGEST_HOST = 253


class BadBrand(ValueError):
    """Not a name or not a domain; the text says why, in words for whoever typed it."""


@dataclass(frozen=True, slots=True)
class Brand:
    """What is watched. `version` grows with each edit of its names or domains."""

    id: int
    name: str
    aliases: tuple[str, ...]
    domains: tuple[str, ...]
    version: int

    @property
    def names(self) -> tuple[str, ...]:
        """All by which it goes, its own name first."""
        return (self.name, *self.aliases)


def clean_name(name: str) -> str:
    """The name with its white space in order. Raises `BadBrand` for what cannot be one."""
    clean = " ".join(name.split())
    if not clean:
        raise BadBrand("a brand's name cannot be empty")
    if len(clean) > LONGEST_NAME:
        raise BadBrand(f"a brand's name has at most {LONGEST_NAME} characters")
    # Cs too: half a surrogate pair cannot be stored.
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in clean):
        raise BadBrand(f"the name {clean!r} has a control character in it")
    if not any(character.isalnum() for character in clean):
        raise BadBrand(f"the name {clean!r} has no letter or digit")
    return clean


def folded(name: str) -> str:
    """The name as names are compared: compatible characters and letter case are one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def unique_names(names: tuple[str, ...], *, but: str) -> tuple[str, ...]:
    """The names in order, cleaned, each once however it is written, and never `but`."""
    seen = {folded(but)}
    unique = []
    for name in map(clean_name, names):
        if folded(name) not in seen:
            seen.add(folded(name))
            unique.append(name)
    return tuple(unique)


def clean_domain(domain: str) -> str:
    """The bare host, in ASCII: from `https://www.Точка.рф/о-нас` to `xn--80atlp0a.xn--p1ai`.

    Raises `BadBrand` for what is not a host name.
    """
    given = domain.strip()
    wrong = BadBrand(f"{given!r} is not a domain such as example.com")
    try:
        parts = urlsplit(given if "://" in given else f"//{given}")
        host = (parts.hostname or "").rstrip(".")
        parts.port  # noqa: B018 - raises ValueError where it is no number
        ascii_host = host.encode("idna").decode("ascii")
    except ValueError as error:
        raise wrong from error
    ascii_host = ascii_host.removeprefix("www.")
    labels = ascii_host.split(".")
    if (
        parts.username is not None
        or len(ascii_host) > LONGEST_HOST
        or len(labels) < 2
        or labels[-1].isdigit()
        or not all(_is_label(label) for label in labels)
    ):
        raise wrong
    return ascii_host


def _is_label(label: str) -> bool:
    return (
        0 < len(label) <= 63
        and not label.startswith("-")
        and not label.endswith("-")
        and label.replace("-", "").isalnum()
    )
