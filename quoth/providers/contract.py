"""What every AI engine does for us, in our words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Literal, Protocol

SIMULATOR = "simulator"


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt as an engine is asked it: ISO 639-1 language, ISO 3166-1 country.

    `reference` is ours, sent along where an engine keeps such a thing; never a secret.
    """

    text: str
    language: str
    country: str
    reference: str


@dataclass(frozen=True, slots=True)
class Route:
    """By which way an engine is asked; part of every figure.

    `surface` names the route (`openai-responses`, `simulator`). `create` bounds the paid call
    until the engine's id is known, `deadline` the whole of one try.
    """

    engine: str
    surface: str
    model: str
    create: timedelta
    deadline: timedelta
    slots: int
    per_minute: int | None = None

    @property
    def lane(self) -> str:
        """The queue's lane for this route."""
        return f"{self.engine}/{self.surface}"


@dataclass(frozen=True, slots=True)
class Raw:
    """A reply as received, so that a better reader can read it again."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Accepted:
    """The engine has taken the question under its id `ref`; `raw` is its first reply."""

    ref: str
    raw: Raw


@dataclass(frozen=True, slots=True)
class Link:
    """A source the reply gives. Offsets are code points in the text, or both None.

    `used` tells a source cited in the answer from one merely consulted.
    """

    url: str
    title: str | None
    used: bool
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call cost. `source` says who says so."""

    amount: Decimal
    currency: str
    source: Literal["provider", "price_table"]


Finding = Literal[
    "answered", "answered_without_search", "incomplete", "no_surface", "empty", "refused"
]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply says, read without I/O from a `Raw`. `text` is "" where `finding` has none."""

    finding: Finding
    text: str
    model: str
    searched: bool
    queries: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    usage: Mapping[str, object] = field(default_factory=dict)
    cost: Cost | None = None
    reason: str | None = None


class Provider(Protocol):
    """One engine over one real route. All I/O methods raise only `ProviderError`s."""

    @property
    def route(self) -> Route:
        """By which way it asks."""
        ...

    async def send(self, question: Question) -> Accepted:
        """The paid call: ends as soon as the engine has taken the question."""
        ...

    async def collect(self, accepted_ref: str) -> Raw:
        """Wait for the end of what was accepted; free, and may be repeated by another process."""
        ...

    async def cancel(self, accepted_ref: str) -> None:
        """Ask the engine to stop; no error if it is over or unknown."""
        ...

    def read(self, raw: Raw) -> Reply:
        """Read a collected reply. Pure. Raises `Malformed`, `WrongModel` or what it reports."""
        ...


class ProviderError(Exception):
    """No answer. The subclasses say what the caller does next.

    `raw` is what came back, where something did. Texts are safe to show and log: no secrets.
    """

    def __init__(self, reason: str, *, raw: Raw | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.raw = raw


class NotSent(ProviderError):
    """Nothing reached the engine: trying again costs nothing."""


class Busy(ProviderError):
    """Refused for now (rate or overload), nothing was bought: come back, perhaps `after`."""

    def __init__(
        self, reason: str, *, after: timedelta | None = None, raw: Raw | None = None
    ) -> None:
        super().__init__(reason, raw=raw)
        self.after = after


class Faulty(ProviderError):
    """The engine said that it failed (its own error, nothing usable): another try may do."""


class Unknown(ProviderError):
    """The call may have been taken and billed, and its id is not known."""


class Gone(ProviderError):
    """The engine does not know the id (any more): what was bought is lost."""


class Rejected(ProviderError):
    """Refused for good: this request will never be answered."""


class AccountProblem(ProviderError):
    """The key, the money or the region: no request will be answered until a person acts."""


class Malformed(ProviderError):
    """It answered in a form that our reader does not know."""


class WrongModel(ProviderError):
    """What answered is not what was asked."""
