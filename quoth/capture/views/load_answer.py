"""One capture with its answer, its reading and its ledger; and what came back, untouched."""

import gzip
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from quoth.accounts.workspace import Workspace
from quoth.capture.manifest import Manifest, read_manifest
from quoth.capture.views.load_captures import Which, load_captures
from quoth.capture.views.shapes import AnswerView, AttemptView, CitationView, MentionView, Money
from quoth.providers.contract import Raw
from quoth.storage import Statements, Transaction

sql = Statements(__package__)


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A capture, its check's manifest, and its answer as far as there is one."""

    check_id: int
    prompt_id: int
    engine: str
    manifest: dict[str, Any]
    started_at: datetime
    text: str | None
    model: str | None
    searched: bool | None
    queries: list[str] | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class MentionRow:
    """A mention by its brand's id."""

    brand_id: int
    starts: int
    ends: int
    surface: str


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """An attempt without what came back."""

    number: int
    state: str
    model: str
    engine_ref: str | None
    sent_at: datetime
    ended_at: datetime | None
    error_class: str | None
    error: str | None
    usage: dict[str, Any] | None
    cost: Decimal | None
    currency: str | None
    possibly_paid: bool


@dataclass(frozen=True, slots=True)
class RawRow:
    """A reply as stored."""

    status: int
    headers: dict[str, str]
    body: bytes


async def load_answer(tx: Transaction, workspace: Workspace, capture_id: int) -> AnswerView:
    """The capture with all that is known of it. Raises `NotFound`."""
    which = {"workspace_id": workspace.id, "capture_id": capture_id}
    row = await tx.one(AnswerRow, sql.load_answer, **which)
    manifest = read_manifest(row.manifest)
    one = Which(workspace.id, row.check_id, row.started_at, capture_id)
    [capture], _ = await load_captures(tx, one, manifest)
    return AnswerView(
        check_id=row.check_id,
        capture=capture,
        prompt=next(prompt for prompt in manifest.prompts if prompt.id == row.prompt_id),
        engine=next(engine for engine in manifest.engines if engine.engine == row.engine),
        brands=manifest.brands,
        text=row.text or None,
        model=row.model,
        searched=row.searched,
        queries=tuple(row.queries or ()),
        answered_at=row.answered_at,
        mentions=_mentions(await tx.all(MentionRow, sql.load_mentions, **which), manifest),
        citations=tuple(await tx.all(CitationView, sql.load_citations, **which)),
        attempts=tuple(
            _attempt(attempt) for attempt in await tx.all(AttemptRow, sql.load_attempts, **which)
        ),
    )


async def load_raw(tx: Transaction, workspace: Workspace, capture_id: int) -> Raw:
    """The reply behind the answer, or the last one that is kept of an attempt.

    Raises `NotFound` where nothing has come back.
    """
    row = await tx.one(RawRow, sql.load_raw, workspace_id=workspace.id, capture_id=capture_id)
    return Raw(row.status, row.headers, gzip.decompress(row.body))


def _mentions(rows: list[MentionRow], manifest: Manifest) -> tuple[MentionView, ...]:
    brands = {brand.id: brand for brand in manifest.brands}
    return tuple(
        MentionView(brand.name, brand.ours, row.starts, row.ends, row.surface)
        for row in rows
        if (brand := brands.get(row.brand_id))
    )


def _attempt(row: AttemptRow) -> AttemptView:
    known = row.cost is not None and row.currency is not None
    return AttemptView(
        number=row.number,
        state=row.state,
        model=row.model,
        engine_ref=row.engine_ref,
        sent_at=row.sent_at,
        ended_at=row.ended_at,
        error_class=row.error_class,
        error=row.error,
        cost=Money(row.cost or Decimal(0), row.currency or "") if known else None,
        possibly_paid=row.possibly_paid,
        usage=row.usage,
    )
