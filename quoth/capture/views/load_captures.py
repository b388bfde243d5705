"""The captures of a check as they stand: outcome, or where the job is and what it waits for."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from quoth.capture.jobs import CAPTURE_ASK
from quoth.capture.manifest import Manifest
from quoth.capture.views.shapes import (
    CaptureOutcome,
    CaptureView,
    JobState,
    Money,
    Named,
    WatchedBrand,
)
from quoth.storage import Statements, Transaction

sql = Statements(__package__)

NOBODY_WORKS = "no running worker serves this engine"
PAUSED = "this engine is paused"

STATE_OF_OUTCOME: Mapping[CaptureOutcome, JobState] = {
    "answered": "done",
    "answered_without_search": "done",
    "incomplete": "done",
    "no_surface": "done",
    "refused": "done",
    "empty": "failed",
    "failed": "failed",
    "cancelled": "cancelled",
    "expired": "cancelled",
}


@dataclass(frozen=True, slots=True)
class Which:
    """All captures of a check that was started then, or one of them."""

    workspace_id: int
    check_id: int
    started_at: datetime
    capture_id: int | None = None


@dataclass(frozen=True, slots=True)
class CaptureRow:
    """A capture with its job, as far as that is still there."""

    id: int
    prompt_id: int
    engine: str
    surface: str
    sample: int
    outcome: CaptureOutcome | None
    reason: str | None
    error_class: str | None
    ended_at: datetime | None
    took: timedelta | None
    job_state: JobState | None
    job_reason: str | None
    tries: int | None
    max_tries: int | None
    due_at: datetime | None
    claimed_at: datetime | None
    running_since: datetime | None
    brand_ids: list[int] | None
    mentions: list[int] | None
    cited: int | None


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What the attempts of a capture cost in one currency (None: not known)."""

    capture_id: int
    currency: str | None
    cost: Decimal | None
    attempts: int
    possibly_paid: int
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class LaneRow:
    """An engine's lane: until when it cools down, and whether a living worker serves it.

    `reason` is why it cools down or, where a person has paused it, what they said.
    """

    name: str
    open_at: datetime | None
    paused: bool
    reason: str | None
    served: bool


@dataclass(slots=True)
class Ledger:
    """What is known of a capture's attempts."""

    attempts: int = 0
    possibly_paid: int = 0
    ended_at: datetime | None = None
    cost: Money | None = None


async def load_captures(
    tx: Transaction, which: Which, manifest: Manifest
) -> tuple[tuple[CaptureView, ...], tuple[Money, ...]]:
    """The captures by prompt, engine and sample; and what they cost."""
    keys = {
        "workspace_id": which.workspace_id,
        "check_id": which.check_id,
        "capture_id": which.capture_id,
    }
    rows = await tx.all(CaptureRow, sql.load_captures, kind=CAPTURE_ASK, **keys)
    money = await tx.all(LedgerRow, sql.load_ledger, **keys)
    names = sorted({lane.name for lane in manifest.lanes.values()})
    lanes = {row.name: row for row in await tx.all(LaneRow, sql.load_lanes, names=names)}

    ledgers = _ledgers(money)
    brands = {brand.id: brand for brand in manifest.brands}
    prompts = {prompt.id: place for place, prompt in enumerate(manifest.prompts)}
    engines = {engine.engine: place for place, engine in enumerate(manifest.engines)}
    rows.sort(key=lambda row: (prompts[row.prompt_id], engines[row.engine], row.sample))
    views = tuple(
        _view(
            row,
            _standing(
                row, lanes[manifest.lanes[row.engine].name], ledgers[row.id], which.started_at
            ),
            ledgers[row.id],
            _named(row, brands),
        )
        for row in rows
    )
    return views, _total(money)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a capture is, since when, until when it waits and why."""

    state: JobState
    since: datetime
    due_at: datetime | None = None
    reason: str | None = None


def _view(
    row: CaptureRow, standing: Standing, ledger: Ledger, named: tuple[Named, ...]
) -> CaptureView:
    tries = ledger.attempts if row.tries is None else row.tries
    return CaptureView(
        id=row.id,
        prompt_id=row.prompt_id,
        engine=row.engine,
        surface=row.surface,
        sample=row.sample,
        state=standing.state,
        outcome=row.outcome,
        reason=standing.reason,
        error_class=row.error_class,
        since=standing.since,
        tries=tries,
        max_tries=tries if row.max_tries is None else row.max_tries,
        due_at=standing.due_at,
        named=named,
        citations=row.cited or 0,
        took=row.took,
        cost=ledger.cost,
        possibly_paid=ledger.possibly_paid,
    )


def _standing(row: CaptureRow, lane: LaneRow, ledger: Ledger, started_at: datetime) -> Standing:
    if row.outcome is not None:
        state = STATE_OF_OUTCOME[row.outcome]
        return Standing(state, row.ended_at or started_at, reason=row.reason)
    state = row.job_state or "pending"
    if state == "claimed":
        return Standing(state, row.claimed_at or started_at)
    if state == "running":
        return Standing(state, row.running_since or row.claimed_at or started_at)
    if lane.paused and state in ("pending", "waiting"):
        return Standing(state, row.due_at or started_at, reason=f"{PAUSED}: {lane.reason}")
    if state == "waiting":
        # It waits since its last call ended, or since its last try where that made none.
        since = max(_known(started_at, row.claimed_at, row.running_since, ledger.ended_at))
        due_at = max(_known(row.due_at, lane.open_at), default=None)
        return Standing(state, since, due_at, row.job_reason or lane.reason)
    since = row.due_at or started_at
    if lane.open_at is not None:
        return Standing(state, since, lane.open_at, lane.reason)
    return Standing(state, since, reason=row.job_reason if lane.served else NOBODY_WORKS)


def _named(row: CaptureRow, brands: Mapping[int, WatchedBrand]) -> tuple[Named, ...]:
    if not row.brand_ids or not row.mentions:
        return ()
    # A reading of later may know of brands that the check did not have.
    found = [
        (brands[brand_id], times)
        for brand_id, times in zip(row.brand_ids, row.mentions, strict=True)
        if brand_id in brands
    ]
    return tuple(
        [
            Named(brand.name, brand.ours, times, order)
            for order, (brand, times) in enumerate(found, start=1)
        ]
    )


def _known(*times: datetime | None) -> Iterable[datetime]:
    return (time for time in times if time is not None)


def _ledgers(rows: Sequence[LedgerRow]) -> Mapping[int, Ledger]:
    ledgers: defaultdict[int, Ledger] = defaultdict(Ledger)
    for row in rows:
        ledger = ledgers[row.capture_id]
        ledger.attempts += row.attempts
        ledger.possibly_paid += row.possibly_paid
        ledger.ended_at = max(_known(ledger.ended_at, row.ended_at), default=None)
        if row.cost is not None and row.currency is not None:
            ledger.cost = Money(row.cost, row.currency)
    return ledgers


def _total(rows: Sequence[LedgerRow]) -> tuple[Money, ...]:
    """Sums never mix currencies."""
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        if row.cost is not None and row.currency is not None:
            sums[row.currency] += row.cost
    return tuple(Money(amount, currency) for currency, amount in sorted(sums.items()))
