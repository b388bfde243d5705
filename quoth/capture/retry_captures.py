"""Retry captures that ended without an answer: a new round and a new job for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quoth.accounts.workspace import Workspace, load_workspace
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.jobs import CAPTURE_ASK, EXPIRES_AFTER, ToAsk, enqueue_captures, job_key
from quoth.capture.manifest import read_manifest
from quoth.queue.desk.failed import forget_failed
from quoth.storage import Database, NotFound, Statements

sql = Statements(__package__)


@dataclass(frozen=True, slots=True)
class OfCheck:
    """Some captures of a check."""

    check_id: int
    capture_ids: list[int]


async def retry_captures(
    database: Database,
    workspace: Workspace,
    check_id: int,
    capture_ids: Sequence[int] | None = None,
) -> int:
    """Return how many captures are asked again; None retries all that can be. Raises `NotFound`.

    Those can that failed, came back empty, were cancelled or expired. What an engine did say, cut
    off or refused included, is a finding and stays. A capture that is still open is left alone, so
    a double click retries once; the queue forgets that its job had failed. Earlier attempts stay in
    the ledger, and one that was accepted is re-attached before anything is bought.
    """
    async with database.transaction() as tx:
        found = await tx.values(sql.lock_check, workspace_id=workspace.id, check_id=check_id)
        if not found:
            raise NotFound(f"check {check_id}")
        stored: dict[str, Any] = found[0]
        captures = await tx.all(
            ToAsk,
            sql.reopen_captures,
            workspace_id=workspace.id,
            check_id=check_id,
            capture_ids=None if capture_ids is None else list(capture_ids),
        )
        if not captures:
            return 0
        await tx.run(
            sql.reopen_check,
            workspace_id=workspace.id,
            check_id=check_id,
            expires_after=EXPIRES_AFTER,
        )
        in_order = sorted(captures, key=lambda capture: capture.id)
        lanes = read_manifest(stored).lanes
        await enqueue_captures(tx, workspace.id, check_id, in_order, lanes)
        before = [job_key(capture.id, capture.round - 1) for capture in captures]
        await forget_failed(tx, CAPTURE_ASK, before)
        tx.notify(CHECK_CHANGED, str(check_id))
    return len(captures)


async def retry_capture_jobs(database: Database, payloads: Sequence[dict[str, Any]]) -> int:
    """Retry the captures that these jobs (`capture.ask`) were to ask for; return how many are."""
    retried = 0
    for workspace_id in dict.fromkeys(payload["workspace"] for payload in payloads):
        captures = [each["capture"] for each in payloads if each["workspace"] == workspace_id]
        async with database.autocommit() as tx:
            workspace = await load_workspace(tx)
            checks = await tx.all(
                OfCheck, sql.find_checks, workspace_id=workspace_id, capture_ids=captures
            )
        for check in checks:
            retried += await retry_captures(database, workspace, check.check_id, check.capture_ids)
    return retried


# How failed jobs of each kind are tried again, for `quoth.queue.desk.failed.retry_failed`.
TRIED_AGAIN = {CAPTURE_ASK: retry_capture_jobs}
