"""Attempts: each outward call is written down before it is made, and outlives its job."""

import asyncio
import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.failures import Failure
from quoth.providers.contract import Accepted, Cost, Raw, Reply
from quoth.storage import Database, DatabaseUnavailable, Statements, Transaction

sql = Statements(__package__)

# How many more paid calls may follow one whose outcome nobody knows, in one round of a capture.
TRIES_AFTER_UNKNOWN = 1
LOST = "the process ended while the call was out: it may have been taken and paid"
LATE = "superseded: another call had answered by then"
STOPPED = "given up before its end"
RETRY_SAVING = timedelta(milliseconds=200)

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Ask:
    """A capture to be asked: the question, the route and the brands as the check froze them."""

    workspace_id: int
    id: int
    check_id: int
    engine: str
    surface: str
    round: int
    outcome: str | None
    text: str
    language: str
    country: str
    brands: list[dict[str, Any]]
    engines: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Opened:
    """What a try goes on with: a new call to be made, or (`ref`) one that was accepted earlier.

    `id` is None when too many calls of this round ended with nobody knowing how. `unknown` counts
    those, `empty` the answers without text.
    """

    id: int | None
    ref: str | None
    unknown: int
    empty: int


async def open_attempt(
    tx: Transaction, ask: Ask, *, fence: int, model: str, call: timedelta
) -> Opened:
    """Decide under the job's fence what to go on with, and write a new call down before it is made.

    The fence says that nobody else sends for this capture, so an attempt that is still `sending`
    is a lost one. Its own worker may yet learn its id; the row's lock decides who comes first.
    """
    tx.notify(CHECK_CHANGED, str(ask.check_id))
    return await tx.one(
        Opened,
        sql.open_attempt,
        workspace_id=ask.workspace_id,
        capture_id=ask.id,
        round=ask.round,
        fence=fence,
        model=model,
        call=call,
        lost=LOST,
        most_unknown=TRIES_AFTER_UNKNOWN,
    )


async def accept_attempt(tx: Transaction, ask: Ask, attempt_id: int, accepted: Accepted) -> None:
    """Keep the engine's id: from now on the call can be re-attached."""
    await tx.run(
        sql.accept_attempt,
        workspace_id=ask.workspace_id,
        id=attempt_id,
        ref=accepted.ref,
        **stored_raw(accepted.raw),
    )


async def keep_late_ref(database: Database, ask: Ask, attempt_id: int, accepted: Accepted) -> None:
    """Keep the id of a paid call though its job is another worker's by now.

    If that one has not gone on yet, it re-attaches; else the call stays accepted for a later try.
    """
    while True:
        try:
            async with database.transaction() as tx:
                await tx.run(
                    sql.accept_late,
                    workspace_id=ask.workspace_id,
                    id=attempt_id,
                    capture_id=ask.id,
                    ref=accepted.ref,
                    late=LATE,
                    **stored_raw(accepted.raw),
                )
        except DatabaseUnavailable:
            await asyncio.sleep(RETRY_SAVING.total_seconds())
        else:
            return


async def fail_attempt(tx: Transaction, ask: Ask, attempt_id: int, failure: Failure) -> None:
    """Write down how the call ended; what came back is kept with it."""
    tx.notify(CHECK_CHANGED, str(ask.check_id))
    await tx.run(
        sql.fail_attempt,
        workspace_id=ask.workspace_id,
        id=attempt_id,
        end=failure.end,
        error_class=failure.error_class,
        error=storable(failure.reason),
        possibly_paid=failure.possibly_paid,
        **stored_usage(failure.usage, failure.cost),
        **stored_raw(failure.raw),
    )


async def keep_late(tx: Transaction, ask: Ask, attempt_id: int, reply: Reply, raw: Raw) -> None:
    """Keep what came back for a job that was lost, in its attempt and nowhere else.

    An accepted call stays accepted while the capture is open: its new owner collects the same.
    """
    await tx.run(
        sql.keep_late,
        workspace_id=ask.workspace_id,
        id=attempt_id,
        capture_id=ask.id,
        late=LATE,
        **stored_usage(reply.usage, reply.cost),
        **stored_raw(raw),
    )


def stored_raw(raw: Raw | None) -> dict[str, Any]:
    """The columns of a reply as received: status, headers, gzip body; all None for None."""
    if raw is None:
        return {"status": None, "headers": None, "body": None}
    return {
        "status": raw.status,
        "headers": storable_json(dict(raw.headers)),
        "body": gzip.compress(raw.body, 6, mtime=0),
    }


def stored_usage(usage: Mapping[str, object] | None, cost: Cost | None) -> dict[str, Any]:
    """The columns of what a call used and cost; all None where it is not known."""
    return {
        "usage": None if usage is None else storable_json(dict(usage)),
        "cost": cost and cost.amount,
        "currency": cost and cost.currency,
        "cost_source": cost and cost.source,
    }


def storable(text: str) -> str:
    """The text with what PostgreSQL cannot keep replaced, one character for one: offsets hold."""
    return _UNSTORABLE.sub("\ufffd", text)


def storable_json(value: Any) -> Any:
    """A JSON value with every text in it `storable`."""
    match value:
        case str():
            return storable(value)
        case list():
            return [storable_json(item) for item in value]
        case dict():
            return {storable(key): storable_json(item) for key, item in value.items()}
        case _:
            return value
