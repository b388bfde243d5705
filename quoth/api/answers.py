"""What programs are sent: the views of the capture room as JSON."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from quoth.capture.views.shapes import (
    CaptureOutcome,
    CheckLine,
    CheckState,
    CheckSummary,
    CheckView,
    JobState,
)

Seconds = Annotated[timedelta, Field(description="Seconds.")]


class Answer(BaseModel):
    """Read from a view's attributes of the same names."""

    model_config = ConfigDict(from_attributes=True, frozen=True, ser_json_timedelta="float")


class MoneyOut(Answer):
    """An amount in one currency (ISO 4217); a string, so that no digit is lost."""

    amount: Decimal
    currency: str


class BrandOut(Answer):
    """A brand as the check froze it."""

    id: int
    name: str
    aliases: list[str]
    domains: list[str]


class PromptOut(Answer):
    """A prompt's revision as the check asks it."""

    id: int
    revision: int
    text: str
    language: str
    country: str


class EngineOut(Answer):
    """An engine and the route (`surface`) by which it is asked."""

    engine: str
    title: str
    surface: str
    model: str


class CheckOut(Answer):
    """A check without its captures. `cost` says what is known so far, a currency each."""

    id: int
    state: CheckState
    brand: BrandOut
    competitors: list[BrandOut]
    prompts: list[PromptOut]
    engines: list[EngineOut]
    samples: int
    started_by: str
    for_day: date
    started_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    total: Annotated[int, Field(description="How many captures it has.")]
    over: Annotated[int, Field(description="How many captures have an outcome.")]
    outcomes: Annotated[dict[CaptureOutcome, int], Field(description="Captures by outcome.")]
    open: Annotated[dict[JobState, int], Field(description="Captures without one, by state.")]
    cost: list[MoneyOut]

    @classmethod
    def of(cls, check: CheckSummary) -> Self:
        """Say it in the words of the API."""
        return cls(
            id=check.id,
            state=check.state,
            brand=BrandOut.model_validate(check.ours),
            competitors=[BrandOut.model_validate(each) for each in check.brands if not each.ours],
            prompts=[PromptOut.model_validate(prompt) for prompt in check.prompts],
            engines=[EngineOut.model_validate(engine) for engine in check.engines],
            samples=check.samples,
            started_by=check.started_by,
            for_day=check.for_day,
            started_at=check.started_at,
            expires_at=check.expires_at,
            ended_at=check.ended_at,
            total=check.total,
            over=check.over,
            outcomes=dict(check.outcomes),
            open=dict(check.open),
            cost=[MoneyOut.model_validate(money) for money in check.cost],
        )


class CheckLineOut(Answer):
    """A check in a list."""

    id: int
    state: CheckState
    brand: str
    started_at: datetime
    prompts: int
    engines: list[str]
    samples: int
    total: int
    over: int
    answered: int


class ChecksOut(Answer):
    """The newest checks first; `next` is the cursor of the older ones, null when there are none."""

    checks: list[CheckLineOut]
    next: str | None

    @classmethod
    def of(cls, lines: list[CheckLine], limit: int) -> Self:
        """A page of at most `limit`; `lines` has one more where there are older checks."""
        page = lines[:limit]
        return cls(
            checks=[CheckLineOut.model_validate(line) for line in page],
            next=str(page[-1].id) if len(lines) > limit else None,
        )


class NamedOut(Answer):
    """A brand named in an answer; `order` 1 was named first."""

    brand: str
    ours: bool
    mentions: int
    order: int


class CaptureOut(Answer):
    """One prompt asked of one engine once. `outcome` is null until it is over."""

    id: int
    prompt_id: int
    engine: str
    surface: str
    sample: int
    state: JobState
    outcome: CaptureOutcome | None
    reason: str | None
    error_class: str | None
    since: datetime
    tries: int
    max_tries: int
    due_at: datetime | None
    named: list[NamedOut]
    citations: int
    took: Seconds | None
    cost: MoneyOut | None
    possibly_paid: int


class CapturesOut(Answer):
    """All captures of a check, in the order of prompts, engines, samples."""

    check: int
    state: CheckState
    captures: list[CaptureOut]

    @classmethod
    def of(cls, view: CheckView) -> Self:
        """The captures of a check."""
        captures = [CaptureOut.model_validate(capture) for capture in view.captures]
        return cls(check=view.id, state=view.state, captures=captures)


class MentionOut(Answer):
    """Where a brand stands in the answer: code points of its text, end exclusive."""

    brand: str
    ours: bool
    start: int
    end: int
    surface: str


class CitationOut(Answer):
    """A source; `used` = cited in the text, else merely consulted."""

    position: int
    url: str
    domain: str
    title: str | None
    used: bool
    start: int | None
    end: int | None


class AttemptOut(Answer):
    """One outward call, as the ledger has it."""

    number: int
    state: str
    model: str
    engine_ref: str | None
    sent_at: datetime
    ended_at: datetime | None
    error_class: str | None
    error: str | None
    cost: MoneyOut | None
    possibly_paid: bool
    usage: dict[str, JsonValue] | None


class AnswerOut(Answer):
    """A capture with its answer. `text` is null while, or because, there is none."""

    check_id: int
    capture: CaptureOut
    prompt: PromptOut
    engine: EngineOut
    text: str | None
    model: str | None
    searched: bool | None
    queries: list[str]
    answered_at: datetime | None
    mentions: list[MentionOut]
    citations: list[CitationOut]
    attempts: list[AttemptOut]


class RetriedOut(Answer):
    """How many captures are asked again."""

    check: int
    retried: int
