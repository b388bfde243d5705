"""A check as every door shows it, read from the rows as they are now."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any

from quoth.accounts.workspace import Workspace
from quoth.capture.jobs import CAPTURE_ASK
from quoth.capture.manifest import Manifest, read_manifest
from quoth.capture.views.load_captures import Which, load_captures
from quoth.capture.views.shapes import (
    CaptureOutcome,
    CheckLine,
    CheckState,
    CheckSummary,
    CheckView,
    JobState,
    Money,
)
from quoth.storage import Statements, Transaction

sql = Statements(__package__)

# The outcomes that a check is started for: the engine's answer, or that it shows none.
ANSWERED: Sequence[CaptureOutcome] = ("answered", "answered_without_search")
COMPLETE: Sequence[CaptureOutcome] = (*ANSWERED, "no_surface")


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check as its table has it, but for its manifest."""

    id: int
    started_by: str
    for_day: date
    started_at: datetime
    expires_at: datetime
    cancelled_at: datetime | None


@dataclass(frozen=True, slots=True)
class FrozenRow(CheckRow):
    """A check with its manifest."""

    manifest: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CountedRow:
    """How many captures of a check have this outcome or, without one, are in this state."""

    outcome: CaptureOutcome | None
    job_state: JobState
    captures: int
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Tally:
    """What a check's captures come to; `ended_at` is when the last of those that are over ended."""

    outcomes: Counter[CaptureOutcome]
    open: Counter[JobState]
    ended_at: datetime
    cost: tuple[Money, ...]


@dataclass(frozen=True, slots=True)
class LineRow:
    """A check with its captures counted."""

    id: int
    brand: str
    started_at: datetime
    cancelled_at: datetime | None
    prompts: int
    engines: list[str]
    samples: int
    total: int
    over: int
    answered: int
    complete: int


def state_of(*, total: int, over: int, complete: int, cancelled: bool) -> CheckState:
    """What a check with so many captures is. The one place where this is decided.

    One that was cancelled when all was answered is complete: nothing of it is missing.
    """
    if over < total:
        return "running"
    if complete == total:
        return "complete"
    if cancelled:
        return "cancelled"
    return "partial" if complete else "failed"


def summary_of(check: CheckRow, manifest: Manifest, tally: Tally) -> CheckSummary:
    """Put together what is known of a check."""
    state = state_of(
        total=tally.outcomes.total() + tally.open.total(),
        over=tally.outcomes.total(),
        complete=sum(tally.outcomes[outcome] for outcome in COMPLETE),
        cancelled=check.cancelled_at is not None,
    )
    return CheckSummary(
        id=check.id,
        state=state,
        brands=manifest.brands,
        prompts=manifest.prompts,
        engines=manifest.engines,
        samples=manifest.samples,
        started_by=check.started_by,
        for_day=check.for_day,
        started_at=check.started_at,
        expires_at=check.expires_at,
        ended_at=None if state == "running" else tally.ended_at,
        outcomes=tally.outcomes,
        open=tally.open,
        cost=tally.cost,
    )


async def load_summary(tx: Transaction, workspace: Workspace, check_id: int) -> CheckSummary:
    """The check with its captures counted. Raises `NotFound`.

    What whoever follows its progress needs; it costs a fraction of `load_check`.
    """
    check = await tx.one(FrozenRow, sql.load_check, workspace_id=workspace.id, check_id=check_id)
    keys = {"workspace_id": workspace.id, "check_id": check_id}
    outcomes: Counter[CaptureOutcome] = Counter()
    opened: Counter[JobState] = Counter()
    ended_at = check.started_at
    for row in await tx.all(CountedRow, sql.count_captures, kind=CAPTURE_ASK, **keys):
        if row.outcome is None:
            opened[row.job_state] += row.captures
        else:
            outcomes[row.outcome] += row.captures
            ended_at = max(ended_at, row.ended_at or ended_at)
    cost = await tx.all(Money, sql.sum_cost, **keys)
    tally = Tally(outcomes, opened, ended_at, tuple(cost))
    return summary_of(check, read_manifest(check.manifest), tally)


async def load_check(tx: Transaction, workspace: Workspace, check_id: int) -> CheckView:
    """The check with all its captures. Raises `NotFound`."""
    check = await tx.one(FrozenRow, sql.load_check, workspace_id=workspace.id, check_id=check_id)
    which = Which(workspace.id, check_id, check.started_at)
    manifest = read_manifest(check.manifest)
    captures, cost = await load_captures(tx, which, manifest)
    tally = Tally(
        Counter(capture.outcome for capture in captures if capture.outcome is not None),
        Counter(capture.state for capture in captures if capture.outcome is None),
        # A capture that is over is so since it ended.
        max(capture.since for capture in captures),
        cost,
    )
    summary = summary_of(check, manifest, tally)
    values = {field.name: getattr(summary, field.name) for field in fields(summary)}
    return CheckView(**values, captures=captures)


async def list_checks(
    tx: Transaction, workspace: Workspace, limit: int = 50, before: int | None = None
) -> list[CheckLine]:
    """The newest checks first; `before` a check's id goes on from there."""
    rows = await tx.all(
        LineRow,
        sql.list_checks,
        workspace_id=workspace.id,
        before=before,
        limit=limit,
        answered=list(ANSWERED),
        complete=list(COMPLETE),
    )
    return [
        CheckLine(
            id=row.id,
            state=state_of(
                total=row.total,
                over=row.over,
                complete=row.complete,
                cancelled=row.cancelled_at is not None,
            ),
            brand=row.brand,
            started_at=row.started_at,
            prompts=row.prompts,
            engines=tuple(row.engines),
            samples=row.samples,
            total=row.total,
            over=row.over,
            answered=row.answered,
        )
        for row in rows
    ]
