"""What was measured of whom, and why something was not."""

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal

from bench.results import Result


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure that every system has."""

    name: str
    unit: str
    better: Literal["higher", "lower"]
    promised: str

    def best(self, medians: dict[str, float]) -> str:
        """Whose figure is the best."""
        choose = max if self.better == "higher" else min
        return choose(medians, key=lambda name: medians[name])

    def say(self, value: float) -> str:
        """The figure for people."""
        if math.isinf(value):
            return "> 60"
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


MEASURES = (
    Measure("drain", "jobs/s", "higher", "1.3 times the best peer"),
    Measure("pickup_p50", "ms", "lower", "the best peer's"),
    Measure("pickup_p99", "ms", "lower", "the best peer's"),
    Measure("waits_1000", "s", "lower", "1.15 s"),
    Measure("bulk_enqueue", "jobs/s", "higher", "1.3 times the best peer"),
    Measure("worker_rss", "MB", "lower", "60 MB"),
    Measure("recover_own", "s", "lower", "2 s"),
    Measure("recover_other", "s", "lower", "3 s"),
)


@dataclass(slots=True)
class Figures:
    """By measure and system: what came out each time, or why nothing did."""

    taken: defaultdict[str, defaultdict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    failed: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, measure: str, system: str, value: float) -> None:
        """One repetition's figure."""
        self.taken[measure][system].append(value)

    def fail(self, measure: str, system: str, why: str) -> None:
        """It cannot be measured of this system; the last reason counts."""
        self.failed[measure][system] = why

    def medians(self, measure: str) -> dict[str, float]:
        """Of those who did not fail."""
        return {
            system: statistics.median(values)
            for system, values in self.taken[measure].items()
            if system not in self.failed[measure]
        }


def result(measure: Measure, figures: Figures, ours: str) -> Result | None:
    """Ours beside the best peer; None where ours was not measured."""
    medians = figures.medians(measure.name)
    if ours not in medians:
        return None
    value = medians.pop(ours)
    about = [f"{measure.better} is better; promised: {measure.promised}"]
    about += [f"{system} {measure.say(medians[system])}" for system in medians]
    about += [f"{system} failed ({why})" for system, why in figures.failed[measure.name].items()]
    if not medians:
        return Result(measure.name, round(value, 3), measure.unit, 1.0, "no peer", "; ".join(about))
    best = measure.best(medians)
    return Result(
        measure.name,
        round(value, 3),
        measure.unit,
        round(value / min(medians[best], 60.0 if math.isinf(medians[best]) else math.inf), 3),
        f"{best}: {measure.say(medians[best])} {measure.unit}",
        "; ".join(about),
    )


def table(figures: Figures) -> str:
    """All systems, one a line; empty where none was measured."""
    names = [measure.name for measure in MEASURES if figures.taken[measure.name]]
    if not names:
        return ""
    systems = dict.fromkeys(system for name in names for system in figures.taken[name])
    lines = [f"| system | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for system in systems:
        cells = []
        for measure in MEASURES:
            if measure.name in names:
                median = figures.medians(measure.name).get(system)
                cells.append("failed" if median is None else measure.say(median))
        lines.append(f"| {system} | {' | '.join(cells)} |")
    return "\n".join(lines)
