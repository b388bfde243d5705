"""What the soak counted and what it found, compared and put into words."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from statistics import median

from tests.chaos.books import EngineSide
from tests.chaos.fleet import Fleet
from tests.chaos.invariants import breaches_of, breaches_of_jobs
from tests.chaos.joined import Story, join
from tests.chaos.limits import most_at_once, span_of
from tests.chaos.load import ENGINES, PROMPTS, Load
from tests.chaos.logs import read_logs
from tests.chaos.places import Places
from tests.chaos.rows import Rows
from tests.chaos.strikes import Strikes
from tests.chaos.weather import Met


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is left when the soak is over."""

    rows: Rows
    engines: EngineSide
    fleet: Fleet
    strikes: Strikes
    load: Load
    places: Places
    logs: Path
    slots: int
    open_still: int
    raged: timedelta
    calm: timedelta
    longest: timedelta


@dataclass(frozen=True, slots=True)
class Report:
    """Counts by heading, and each breach of what must be true."""

    faults: Mapping[str, int]
    counts: Mapping[str, Mapping[str, object]]
    breaches: Sequence[str]

    def lines(self) -> Iterator[str]:
        """As it is printed."""
        yield f"faults: {sum(self.faults.values())}"
        yield from _table(self.faults)
        for heading, counts in self.counts.items():
            yield f"{heading}:"
            yield from _table(counts)
        yield f"breaches: {len(self.breaches)}"
        yield from (f"  {breach}" for breach in self.breaches)


def report_on(evidence: Evidence) -> Report:
    """Compare the database with the engines' books, and count."""
    rows, books = evidence.rows, evidence.engines.books
    stories, stray = join(rows, books.calls, books.purchases)
    told, wrong = read_logs(evidence.logs)
    most = {
        engine: most_at_once(
            span
            for story in stories
            if story.capture.engine == engine
            for made in story.made
            if (span := span_of(made, story, longest=evidence.longest.total_seconds()))
        )
        for engine in ENGINES
    }
    breaches = [
        *(line for story in stories for line in _breaches(evidence, story)),
        *breaches_of_jobs(stories, rows.jobs),
        *(f"a call for nobody: {call}" for call in stray),
        *(
            f"{engine}: {found} calls at once in {evidence.slots} places"
            for engine, found in most.items()
            if found > evidence.slots
        ),
        *evidence.places.breaches,
        *evidence.fleet.unexpected,
        *wrong,
        *_totals(evidence),
    ]
    faults = evidence.strikes.counted + evidence.engines.weather.counted()
    faults["a worker's clock shifted"] += evidence.fleet.shifted
    return Report(dict(sorted(faults.items())), _counts(evidence, stories, told, most), breaches)


def _breaches(evidence: Evidence, story: Story) -> Iterator[str]:
    """With all that is known of the capture, for whoever looks for the reason."""
    met = _met(evidence, story)
    found = list(breaches_of(story, met))
    yield from found
    if found:
        jobs = [job for job in evidence.rows.jobs if job.capture_id == story.capture.id]
        for fact in (replace(story.capture, body=None), *story.attempts, *story.made, *met, *jobs):
            yield f"    {fact}"


def _met(evidence: Evidence, story: Story) -> Sequence[Met]:
    return [
        met
        for met in evidence.engines.weather.met_by
        if (met.engine, met.prompt) == (story.capture.engine, story.capture.question)
    ]


def _totals(evidence: Evidence) -> Iterator[str]:
    rows, load = evidence.rows, evidence.load
    if evidence.open_still:
        yield f"{evidence.open_still} captures were still open in the end"
    if rows.checks != load.checks:
        yield f"{rows.checks} checks of {load.checks} that were begun"
    if len(rows.captures) != load.checks * PROMPTS * len(ENGINES):
        yield f"{len(rows.captures)} captures of {load.checks} checks"
    if rows.held_places:
        yield f"{rows.held_places} places are held by nobody"
    admitted = sum(attempt.possibly_paid for attempt in rows.attempts)
    known = sum(
        attempt.engine_ref is not None and not attempt.possibly_paid for attempt in rows.attempts
    )
    bought = len(evidence.engines.books.purchases)
    if not known <= bought <= known + admitted:
        yield f"{bought} purchases; {known} known for certain, {admitted} admitted"


def _counts(
    evidence: Evidence, stories: Sequence[Story], told: Counter[str], most: Mapping[str, int]
) -> Mapping[str, Mapping[str, object]]:
    rows = evidence.rows
    made = [made for story in stories for made in story.made]
    bought = [one for one in made if one.purchase is not None]
    admitted = [attempt for attempt in rows.attempts if attempt.possibly_paid]
    admitted_and_bought = {
        one.attempt.id for one in bought if one.attempt is not None and one.attempt.possibly_paid
    }
    fence_at_end = {job.capture_id: job.fence for job in rows.jobs}
    return {
        "time": {
            "under faults, s": round(evidence.raged.total_seconds()),
            "until quiet, s": round(evidence.calm.total_seconds()),
        },
        "captures": Counter(story.capture.outcome or "open" for story in stories),
        "why they failed": Counter(
            f"{story.capture.error_class}: {(story.capture.reason or '')[:60]}"
            for story in stories
            if story.capture.outcome in ("failed", "empty")
        ),
        "money": {
            "checks": rows.checks,
            "starts of a check repeated": evidence.load.repeated,
            "captures": len(rows.captures),
            "answers": sum(story.capture.answers for story in stories),
            "attempts": len(rows.attempts),
            "paid calls that arrived": len(made),
            "purchases": len(bought),
            "of them known by their id": sum(one.known for one in bought),
            "admitted as possibly paid": len(admitted),
            "of them bought": len(admitted_and_bought),
            "sent when their time was over": sum(one.too_late for one in made),
        },
        "attempts": Counter(attempt.state for attempt in rows.attempts),
        "jobs": {
            "taken over": sum(job.crashes for job in rows.jobs),
            "answers collected by another try than bought them": sum(
                attempt.state == "answered" and attempt.fence + 1 < fence_at_end[attempt.capture_id]
                for attempt in rows.attempts
            ),
            "late ends that changed nothing": told["job.lost"],
        },
        "most at once": {
            **{f"{engine}, from the engine": found for engine, found in most.items()},
            **{f"{lane}, in the table": n for lane, n in evidence.places.most.items()},
            "looks at the table": evidence.places.looks,
        },
        "recovery, s (times; median; longest)": _recovery(evidence.strikes.recovered),
        "told by the workers": {**told, "starts that found no database": evidence.fleet.refused},
    }


def _recovery(took: defaultdict[str, list[float]]) -> Mapping[str, str]:
    return {
        what: f"{len(each)}; {median(each):.2f}; {max(each):.2f}" for what, each in took.items()
    }


def _table(counts: Mapping[str, object]) -> Iterator[str]:
    return (f"  {name:56} {value}" for name, value in sorted(counts.items()))
