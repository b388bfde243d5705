"""Start a check: its record, its captures and their jobs in one transaction."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from quoth.accounts.workspace import Workspace
from quoth.analysis.version import READER_VERSION
from quoth.brands.keep_brands import keep_brands, keep_competitors
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.engines import Engines
from quoth.capture.jobs import EXPIRES_AFTER, ToAsk, enqueue_captures
from quoth.capture.manifest import Manifest, read_manifest, write_manifest
from quoth.capture.new_check import (
    IdempotencyConflict,
    NewCheck,
    ValidCheck,
    refuse_shared_names,
    validate,
)
from quoth.capture.prompts import keep_prompts
from quoth.capture.views.load_check import CheckRow, Tally, load_summary, summary_of
from quoth.capture.views.shapes import CheckSummary, JobState
from quoth.storage import Database, Statements, Transaction

sql = Statements(__package__)


@dataclass(frozen=True, slots=True)
class Started:
    """The check as it is in the database; `created` is False when the same request had made it."""

    check: CheckSummary
    created: bool


@dataclass(frozen=True, slots=True)
class KeyedCheck:
    """A check that came with an Idempotency-Key."""

    id: int
    request_digest: bytes


async def start_check(
    database: Database, workspace: Workspace, engines: Engines, new: NewCheck
) -> Started:
    """Either the check and all its jobs exist afterwards, or nothing does.

    Raises `BadCheck`, `EngineNotReady` or `IdempotencyConflict`. Nothing is asked before the
    commit: the workers hear of the jobs only then.
    """
    valid = validate(new, engines)
    digest = valid.digest
    async with database.transaction() as tx:
        if earlier := await _earlier(tx, workspace, new.idempotency_key, digest):
            return earlier
        manifest, stored = await _freeze(tx, workspace, engines, valid)
        row = await tx.maybe(
            CheckRow,
            sql.insert_check,
            workspace_id=workspace.id,
            brand_id=manifest.brands[0].id,
            started_by=new.started_by,
            time_zone=workspace.time_zone,
            manifest=stored,
            idempotency_key=new.idempotency_key,
            request_digest=digest,
            expires_after=EXPIRES_AFTER,
        )
        if row is None:
            # The same key was committed since we looked: the unique constraint made us wait.
            if earlier := await _earlier(tx, workspace, new.idempotency_key, digest):
                return earlier
            raise IdempotencyConflict
        captures = await _insert_captures(tx, workspace.id, row.id, manifest)
        await enqueue_captures(tx, workspace.id, row.id, captures, manifest.lanes)
        tx.notify(CHECK_CHANGED, str(row.id))
    # As it was committed: to read it again would cost as much as a third of all this.
    pending = Counter[JobState]({"pending": len(captures)})
    tally = Tally(Counter(), pending, row.started_at, cost=())
    return Started(summary_of(row, manifest, tally), created=True)


async def _earlier(
    tx: Transaction, workspace: Workspace, key: str | None, digest: bytes
) -> Started | None:
    if key is None:
        return None
    check = await tx.maybe(KeyedCheck, sql.find_keyed_check, workspace_id=workspace.id, key=key)
    if check is None:
        return None
    if check.request_digest != digest:
        raise IdempotencyConflict("this Idempotency-Key came before with another request")
    return Started(await load_summary(tx, workspace, check.id), created=False)


async def _freeze(
    tx: Transaction, workspace: Workspace, engines: Engines, valid: ValidCheck
) -> tuple[Manifest, dict[str, Any]]:
    brands = await keep_brands(tx, workspace.id, [valid.brand, *valid.competitors])
    # Again, now with the names that were known of them before.
    refuse_shared_names(brands)
    if valid.competitors:
        ours, *theirs = (brand.id for brand in brands)
        await keep_competitors(tx, workspace.id, ours, theirs)
    stored = write_manifest(
        brands,
        await keep_prompts(tx, workspace.id, valid.prompts),
        [(engines.title(engine), engines.ready[engine].route) for engine in valid.engines],
        samples=valid.samples,
        reader=READER_VERSION,
    )
    return read_manifest(stored), stored


async def _insert_captures(
    tx: Transaction, workspace_id: int, check_id: int, manifest: Manifest
) -> list[ToAsk]:
    """The captures in the order in which they are asked.

    Sample by sample, then down the prompts: every cell of the matrix has its first answer before
    any has its second, the rows fill from the top as they are read, and a check that is cancelled
    half-way has asked every prompt about equally often. Engines have lanes of their own, so their
    order decides nothing.
    """
    captures = await tx.all(
        ToAsk,
        sql.insert_captures,
        workspace_id=workspace_id,
        check_id=check_id,
        prompt_ids=[prompt.id for prompt in manifest.prompts],
        revisions=[prompt.revision for prompt in manifest.prompts],
        engines=[engine.engine for engine in manifest.engines],
        surfaces=[engine.surface for engine in manifest.engines],
        samples=manifest.samples,
    )
    return sorted(captures, key=lambda capture: capture.id)
