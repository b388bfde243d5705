"""Start a check: its record, its captures and their jobs in one transaction."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from quoth.accounts.workspace import Workspace
from quoth.analysis.version import READER_VERSION
from quoth.brands.keep_brands import keep_brands, keep_competitors
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.engines import Engines
from quoth.capture.manifest import Lane, Manifest, read_manifest, write_manifest
from quoth.capture.new_check import (
    IdempotencyConflict,
    NewCheck,
    ValidCheck,
    refuse_shared_names,
    validate,
)
from quoth.capture.prompts import keep_prompts
from quoth.queue.enqueue import enqueue
from quoth.queue.job import NewJob
from quoth.storage import Database, Statements, Transaction

sql = Statements(__package__)

# The kind of job that asks an engine for one capture.
CAPTURE_ASK = "capture.ask"
EXPIRES_AFTER = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Started:
    """The check; `created` is False when the same request had already made it."""

    check_id: int
    created: bool


@dataclass(frozen=True, slots=True)
class KeyedCheck:
    """A check that came with an Idempotency-Key."""

    id: int
    request_digest: bytes


@dataclass(frozen=True, slots=True)
class ToAsk:
    """A capture whose job is to be put in the queue."""

    id: int
    engine: str
    round: int


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
        ids = await tx.values(
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
        if not ids:
            # The same key was committed since we looked: the unique constraint made us wait.
            if earlier := await _earlier(tx, workspace, new.idempotency_key, digest):
                return earlier
            raise IdempotencyConflict
        [check_id] = ids
        captures = await _insert_captures(tx, workspace.id, check_id, manifest)
        await enqueue_captures(tx, workspace.id, check_id, captures, manifest.lanes)
        tx.notify(CHECK_CHANGED, str(check_id))
    return Started(check_id, created=True)


async def enqueue_captures(
    tx: Transaction,
    workspace_id: int,
    check_id: int,
    captures: Iterable[ToAsk],
    lanes: dict[str, Lane],
) -> None:
    """Put a job in the queue for each capture, in the order given.

    Workspaces share a lane equally, and the checks of one workspace share its part.
    """
    [active] = await tx.values(sql.count_active_checks, workspace_id=workspace_id)
    await enqueue(
        tx,
        CAPTURE_ASK,
        [
            NewJob(
                key=f"{capture.id}:{capture.round}",
                payload={"workspace": workspace_id, "capture": capture.id},
                lane=lanes[capture.engine].name,
                flow=f"check:{check_id}",
                deadline=lanes[capture.engine].deadline,
                expires_after=EXPIRES_AFTER,
            )
            for capture in captures
        ],
        weight=1 / max(1, active),
    )


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
    return Started(check.id, created=False)


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
