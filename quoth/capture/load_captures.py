"""The captures of a check as they stand: outcome, or where the job is and what it waits for."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from quoth.capture.manifest import Manifest
from quoth.capture.start_check import CAPTURE_ASK
from quoth.capture.views import CaptureOutcome, CaptureView, JobState, Money, Named
from quoth.storage import Statements, Transaction

sql = Statements(__package__)

NOBODY_WORKS = "no running worker serves this engine"

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
    started_at: datetime
    took: timedelta | None
    job_state: JobState | None
    job_reason: str | None
    tries: int | None
    max_tries: int | None
    due_at: datetime | None
    claimed_at: datetime | None
    running_since: datetime | None


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
class FoundRow:
    """How often an answer names a brand, or (`brand_id` None) how many sources it cites."""

    capture_id: int
    brand_id: int | None
    found: int


@dataclass(frozen=True, slots=True)
class LaneRow:
    """An engine's lane: until when it cools down, and whether a living worker serves it."""

    name: str
    open_at: datetime | None
    reason: str | None
    served: bool


@dataclass(slots=True)
class Ledger:
    """What is known of a capture's attempts."""

    attempts: int = 0
    possibly_paid: int = 0
    ended_at: datetime | None = None
    cost: Money | None = None


@dataclass(slots=True)
class Found:
    """What the newest reading of a capture's answer found."""

    named: list[Named] = field(default_factory=list)
    citations: int = 0


async def load_captures(
    tx: Transaction,
    workspace_id: int,
    check_id: int,
    manifest: Manifest,
    *,
    capture_id: int | None = None,
) -> tuple[tuple[CaptureView, ...], tuple[Money, ...]]:
    """All captures of the check, or one, by prompt, engine and sample; and what they cost."""
    which = {"workspace_id": workspace_id, "check_id": check_id, "capture_id": capture_id}
    rows = await tx.all(CaptureRow, sql.load_captures, kind=CAPTURE_ASK, **which)
    money = await tx.all(LedgerRow, sql.load_ledger, **which)
    found = _found(await tx.all(FoundRow, sql.load_found, **which), manifest)
    names = sorted({lane.name for lane in manifest.lanes.values()})
    lanes = {row.name: row for row in await tx.all(LaneRow, sql.load_lanes, names=names)}

    ledgers = _ledgers(money)
    prompts = {prompt.id: place for place, prompt in enumerate(manifest.prompts)}
    engines = {engine.engine: place for place, engine in enumerate(manifest.engines)}
    rows.sort(key=lambda row: (prompts[row.prompt_id], engines[row.engine], row.sample))
    views = tuple(
        _view(row, lanes[manifest.lanes[row.engine].name], ledgers[row.id], found[row.id])
        for row in rows
    )
    return views, _total(money)


def _view(row: CaptureRow, lane: LaneRow, ledger: Ledger, found: Found) -> CaptureView:
    tries = ledger.attempts if row.tries is None else row.tries
    state, since, due_at, reason = _standing(row, lane, ledger)
    return CaptureView(
        id=row.id,
        prompt_id=row.prompt_id,
        engine=row.engine,
        surface=row.surface,
        sample=row.sample,
        state=state,
        outcome=row.outcome,
        reason=reason,
        error_class=row.error_class,
        since=since,
        tries=tries,
        max_tries=tries if row.max_tries is None else row.max_tries,
        due_at=due_at,
        named=tuple(found.named),
        citations=found.citations,
        took=row.took,
        cost=ledger.cost,
        possibly_paid=ledger.possibly_paid,
    )


Standing = tuple[JobState, datetime, datetime | None, str | None]


def _standing(row: CaptureRow, lane: LaneRow, ledger: Ledger) -> Standing:
    """The state, since when, until when it waits, and why."""
    if row.outcome is not None:
        return STATE_OF_OUTCOME[row.outcome], row.ended_at or row.started_at, None, row.reason
    state = row.job_state or "pending"
    if state == "claimed":
        return state, row.claimed_at or row.started_at, None, None
    if state == "running":
        return state, row.running_since or row.claimed_at or row.started_at, None, None
    if state == "waiting":
        # It waits since its last call ended, or since its last try where that made none.
        since = max(_known(row.started_at, row.claimed_at, row.running_since, ledger.ended_at))
        due_at = max(_known(row.due_at, lane.open_at), default=None)
        return state, since, due_at, row.job_reason or lane.reason
    since = row.due_at or row.started_at
    if lane.open_at is not None:
        return state, since, lane.open_at, lane.reason
    return state, since, None, row.job_reason if lane.served else NOBODY_WORKS


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


def _found(rows: Sequence[FoundRow], manifest: Manifest) -> Mapping[int, Found]:
    brands = {brand.id: brand for brand in manifest.brands}
    found: defaultdict[int, Found] = defaultdict(Found)
    for row in rows:
        capture = found[row.capture_id]
        if row.brand_id is None:
            capture.citations = row.found
        elif brand := brands.get(row.brand_id):
            order = len(capture.named) + 1
            capture.named.append(Named(brand.name, brand.ours, row.found, order))
    return found
