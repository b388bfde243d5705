"""What the database says when all is over."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass

from quoth.storage import Database, Statement

ANSWERED = ("answered", "answered_without_search", "incomplete", "no_surface", "refused")

CAPTURES = Statement(
    b"""
    select capture.id, capture.engine, prompt_revision.text as question, capture.outcome,
           capture.error_class, capture.reason,
           extract(epoch from capture.ended_at)::float as ended_at,
           answer.attempt_id, answer.body,
           (select count(*) from capture.answer as each
             where each.capture_id = capture.id) as answers
      from capture.capture
      join capture.prompt_revision
        on prompt_revision.prompt_id = capture.prompt_id
       and prompt_revision.revision = capture.prompt_revision
      left join capture.answer on answer.capture_id = capture.id
     order by capture.id
    """
)
ATTEMPTS = Statement(
    b"""
    select id, capture_id, state, possibly_paid, engine_ref, error_class,
           coalesce(fence, 0) as fence,
           extract(epoch from sent_at)::float as sent_at,
           extract(epoch from call_until)::float as call_until,
           extract(epoch from accepted_at)::float as accepted_at,
           extract(epoch from ended_at)::float as ended_at
      from capture.attempt
     order by capture_id, id
    """
)
JOBS = Statement(
    b"""
    select id, (payload ->> 'capture')::bigint as capture_id, lane, state, slot, fence, crashes,
           reason
      from queue.job
     order by id
    """
)
HELD_PLACES = Statement(b"select count(*) from queue.slot where job_id is not null")
CHECKS = Statement(b"select count(*) from capture.check_run")


@dataclass(frozen=True, slots=True)
class Capture:
    """One question to one engine; `body` is the reply behind its answer, as it came."""

    id: int
    engine: str
    question: str
    outcome: str | None
    error_class: str | None
    reason: str | None
    ended_at: float | None
    attempt_id: int | None
    body: bytes | None
    answers: int

    @property
    def answered(self) -> bool:
        """Whether there must be an answer."""
        return self.outcome in ANSWERED

    @property
    def answered_by(self) -> str | None:
        """The engine's id in the reply that was kept."""
        return None if self.body is None else str(json.loads(gzip.decompress(self.body))["id"])


@dataclass(frozen=True, slots=True)
class Attempt:
    """One outward call as the ledger has it; instants in seconds since the epoch."""

    id: int
    capture_id: int
    state: str
    possibly_paid: bool
    engine_ref: str | None
    error_class: str | None
    fence: int
    sent_at: float
    call_until: float
    accepted_at: float | None
    ended_at: float | None


@dataclass(frozen=True, slots=True)
class Job:
    """A job of a capture."""

    id: int
    capture_id: int
    lane: str
    state: str
    slot: int | None
    fence: int
    crashes: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Rows:
    """All of it."""

    captures: Sequence[Capture]
    attempts: Sequence[Attempt]
    jobs: Sequence[Job]
    checks: int
    held_places: int


async def load_rows(database: Database) -> Rows:
    async with database.autocommit() as tx:
        return Rows(
            await tx.all(Capture, CAPTURES),
            await tx.all(Attempt, ATTEMPTS),
            await tx.all(Job, JOBS),
            int((await tx.values(CHECKS))[0]),
            int((await tx.values(HELD_PLACES))[0]),
        )
