"""A check as its page shows it: a cell for each prompt and engine, and who was named how often."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from quoth.capture.views.load_check import ANSWERED
from quoth.capture.views.shapes import (
    AskedEngine,
    AskedPrompt,
    CaptureView,
    CheckView,
    WatchedBrand,
)

# Of these a retry makes a new round; what an engine did say stays.
RETRIED = ("failed", "empty", "cancelled", "expired")


@dataclass(frozen=True, slots=True)
class Share:
    """In how many of the answers a brand is named; `answers` 0 is not measured, not zero."""

    named: int
    answers: int


@dataclass(frozen=True, slots=True)
class Cell:
    """The samples of one prompt at one engine."""

    prompt: AskedPrompt
    engine: AskedEngine
    captures: tuple[CaptureView, ...]

    @property
    def element(self) -> str:
        """The id of its element."""
        return f"cell-{self.prompt.id}-{self.engine.engine}"

    @property
    def share(self) -> Share:
        """In how many of its answers our brand is named."""
        parts = Counter(_part(capture) for capture in self.captures)
        return Share(parts["named"], parts["named"] + parts["unnamed"])


@dataclass(frozen=True, slots=True)
class Row:
    """A prompt and its cells, in the order of the engines."""

    prompt: AskedPrompt
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """A brand's share at each engine and in all."""

    brand: WatchedBrand
    shares: tuple[Share, ...]
    in_all: Share


def rows_of(check: CheckView) -> tuple[Row, ...]:
    """The matrix."""
    samples: dict[tuple[int, str], list[CaptureView]] = {}
    for capture in check.captures:
        samples.setdefault((capture.prompt_id, capture.engine), []).append(capture)
    return tuple(
        Row(
            prompt,
            tuple(
                Cell(prompt, engine, tuple(samples.get((prompt.id, engine.engine), ())))
                for engine in check.engines
            ),
        )
        for prompt in check.prompts
    )


def standings_of(check: CheckView) -> tuple[Standing, ...]:
    """Who is named in how many of the answers that have come. A cut-off answer counts for none."""
    answers = [capture for capture in check.captures if capture.outcome in ANSWERED]
    by_engine = Counter(capture.engine for capture in answers)
    named = Counter((each.brand, capture.engine) for capture in answers for each in capture.named)
    return tuple(
        Standing(
            brand,
            tuple(
                Share(named[brand.name, engine.engine], by_engine[engine.engine])
                for engine in check.engines
            ),
            Share(sum(named[brand.name, engine] for engine in by_engine), len(answers)),
        )
        for brand in check.brands
    )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a check is, counted over its captures."""

    check: CheckView
    counts: Mapping[str, int]
    retriable: int

    @property
    def quarter(self) -> int:
        """How many quarters are over: what is read aloud, so that not every answer is."""
        return self.check.over * 4 // self.check.total if self.check.total else 0


def progress_of(check: CheckView) -> Progress:
    """Count what became of the captures, or where they are."""
    counts = Counter(_part(capture) for capture in check.captures)
    retriable = sum(capture.outcome in RETRIED for capture in check.captures)
    return Progress(check, counts, retriable)


def _part(capture: CaptureView) -> str:
    if capture.outcome in ANSWERED:
        return "named" if any(each.ours for each in capture.named) else "unnamed"
    return capture.outcome or capture.state
