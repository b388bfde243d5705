"""Which sources an answer gives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quoth.analysis.canonical_url import canonical_url


@dataclass(frozen=True, slots=True)
class GivenLink:
    """A link as the engine gave it; `used` tells one cited in the text from one consulted."""

    url: str
    title: str | None
    used: bool
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Citation:
    """A source: its canonical address and its site. Positions count from 1."""

    position: int
    url: str
    domain: str
    title: str | None
    used: bool
    start: int | None
    end: int | None


def read_citations(links: Sequence[GivenLink]) -> list[Citation]:
    """The sources in the order in which they are first given, each once; what is no address, not.

    A source given more than once counts as used where one of its links is, and stands where the
    first of those stands.
    """
    citations: dict[str, Citation] = {}
    for link in links:
        canonical = canonical_url(link.url)
        if canonical is None:
            continue
        title = (link.title or "").strip() or None
        known = citations.get(canonical.url)
        if known is None:
            citations[canonical.url] = Citation(
                len(citations) + 1, canonical.url, canonical.domain, title, link.used, link.start,
                link.end,
            )  # fmt: skip
            continue
        known = replace(known, title=known.title or title)
        if link.used and not known.used:
            known = replace(known, used=True, start=link.start, end=link.end)
        citations[canonical.url] = known
    return list(citations.values())
