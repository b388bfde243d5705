"""A check as every door shows it, read from the rows as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from quoth.accounts.workspace import Workspace
from quoth.capture.load_captures import Which, load_captures
from quoth.capture.manifest import read_manifest
from quoth.capture.views import CaptureOutcome, CaptureView, CheckLine, CheckState, CheckView
from quoth.storage import Statements, Transaction

sql = Statements(__package__)

# The outcomes that a check is started for: the engine's answer, or that it shows none.
ANSWERED: Sequence[CaptureOutcome] = ("answered", "answered_without_search")
COMPLETE: Sequence[CaptureOutcome] = (*ANSWERED, "no_surface")


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check as its table has it."""

    id: int
    manifest: dict[str, Any]
    started_by: str
    for_day: date
    started_at: datetime
    expires_at: datetime
    cancelled_at: datetime | None


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


async def load_check(tx: Transaction, workspace: Workspace, check_id: int) -> CheckView:
    """The check with all its captures. Raises `NotFound`."""
    check = await tx.one(CheckRow, sql.load_check, workspace_id=workspace.id, check_id=check_id)
    manifest = read_manifest(check.manifest)
    which = Which(workspace.id, check_id, check.started_at)
    captures, cost = await load_captures(tx, which, manifest)
    state = state_of(
        total=len(captures),
        over=sum(capture.outcome is not None for capture in captures),
        complete=sum(capture.outcome in COMPLETE for capture in captures),
        cancelled=check.cancelled_at is not None,
    )
    return CheckView(
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
        ended_at=None if state == "running" else _ended_at(captures),
        captures=captures,
        cost=cost,
    )


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


def _ended_at(captures: Sequence[CaptureView]) -> datetime:
    """When the last one ended: a capture that is over is so since then."""
    return max(capture.since for capture in captures)
