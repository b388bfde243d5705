"""What a check, its captures and an answer look like to whoever shows them (pages, API, CLI).

Read from the same rows by every door; nothing here is kept in memory between two looks.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Literal

CheckState = Literal["running", "complete", "partial", "failed", "cancelled"]
JobState = Literal["pending", "waiting", "claimed", "running", "done", "failed", "cancelled"]
CaptureOutcome = Literal[
    "answered", "answered_without_search", "incomplete", "no_surface", "empty", "refused",
    "failed", "cancelled", "expired",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in one currency (ISO 4217)."""

    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class WatchedBrand:
    """A brand as the check's manifest froze it. Exactly one of a check is `ours`."""

    id: int
    name: str
    ours: bool
    aliases: tuple[str, ...]
    domains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskedPrompt:
    """A prompt's revision as the check asks it."""

    id: int
    revision: int
    text: str
    language: str
    country: str


@dataclass(frozen=True, slots=True)
class AskedEngine:
    """An engine and the route by which the check asks it."""

    engine: str
    title: str
    surface: str
    model: str


@dataclass(frozen=True, slots=True)
class Named:
    """A brand named in an answer: how often, and in which order of first mention (1 = first)."""

    brand: str
    ours: bool
    mentions: int
    order: int


@dataclass(frozen=True, slots=True)
class CaptureView:
    """One cell (or one sample of it) of the matrix.

    `state` is the job's; a capture whose job is pruned is `done`, `failed` or `cancelled` by its
    outcome. `since` is when this state began; `due_at` when a waiting one goes on; `reason` why it
    waits or failed, in a sentence. `named` is empty without an answer *and* where nobody was named:
    `outcome` tells which.
    """

    id: int
    prompt_id: int
    engine: str
    surface: str
    sample: int
    state: JobState
    outcome: CaptureOutcome | None
    reason: str | None
    error_class: str | None
    since: datetime
    tries: int
    max_tries: int
    due_at: datetime | None
    named: tuple[Named, ...]
    citations: int
    took: timedelta | None
    cost: Money | None
    possibly_paid: int


@dataclass(frozen=True, slots=True)
class CheckSummary:
    """A check with its captures counted: those with an outcome by it, the `open` ones by state."""

    id: int
    state: CheckState
    brands: tuple[WatchedBrand, ...]
    prompts: tuple[AskedPrompt, ...]
    engines: tuple[AskedEngine, ...]
    samples: int
    started_by: str
    for_day: date
    started_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    outcomes: Mapping[CaptureOutcome, int]
    open: Mapping[JobState, int]
    # What the ledger says so far, a currency each; empty = nothing known yet, not nothing paid.
    cost: tuple[Money, ...]

    @property
    def ours(self) -> WatchedBrand:
        """The brand that is watched as ours."""
        return next(brand for brand in self.brands if brand.ours)

    @property
    def over(self) -> int:
        """How many captures have an outcome."""
        return sum(self.outcomes.values())

    @property
    def total(self) -> int:
        """How many captures the check has."""
        return self.over + sum(self.open.values())


@dataclass(frozen=True, slots=True)
class CheckView(CheckSummary):
    """A check with all its captures, in the order of prompts, engines, samples."""

    captures: tuple[CaptureView, ...]

    @property
    def unpriced(self) -> int:
        """How many captures brought something whose price nobody knows: `cost` leaves them out."""
        bought = ("answered", "answered_without_search", "incomplete", "refused", "empty")
        return sum(capture.outcome in bought and capture.cost is None for capture in self.captures)


@dataclass(frozen=True, slots=True)
class CheckLine:
    """A check in a list."""

    id: int
    state: CheckState
    brand: str
    started_at: datetime
    prompts: int
    engines: tuple[str, ...]
    samples: int
    total: int
    over: int
    answered: int


@dataclass(frozen=True, slots=True)
class MentionView:
    """Where a brand stands in the answer: code points of its raw text, end exclusive."""

    brand: str
    ours: bool
    start: int
    end: int
    surface: str


@dataclass(frozen=True, slots=True)
class CitationView:
    """A source of the answer; `used` = cited in the text, else merely consulted."""

    position: int
    url: str
    domain: str
    title: str | None
    used: bool
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One outward call for the capture, as the ledger has it."""

    number: int
    state: str
    model: str
    engine_ref: str | None
    sent_at: datetime
    ended_at: datetime | None
    error_class: str | None
    error: str | None
    cost: Money | None
    possibly_paid: bool
    usage: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class AnswerView:
    """A capture with its answer. `text` is None while (or because) there is none."""

    check_id: int
    capture: CaptureView
    prompt: AskedPrompt
    engine: AskedEngine
    brands: tuple[WatchedBrand, ...]
    text: str | None
    model: str | None
    searched: bool | None
    queries: tuple[str, ...]
    answered_at: datetime | None
    mentions: tuple[MentionView, ...]
    citations: tuple[CitationView, ...]
    attempts: tuple[AttemptView, ...]
