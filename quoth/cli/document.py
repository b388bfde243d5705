"""What a check has found, as one JSON document for programs."""

from collections.abc import Sequence
from datetime import timedelta

from pydantic import BaseModel, ConfigDict

from quoth.api.answers import CitationOut, MentionOut, MoneyOut, NamedOut
from quoth.capture.views.shapes import AnswerView, CaptureOutcome, CheckState, CheckView


class CaptureDocument(BaseModel):
    """One prompt asked of one engine once, and what came of it."""

    model_config = ConfigDict(ser_json_timedelta="float")

    id: int
    prompt: str
    language: str
    country: str
    engine: str
    surface: str
    sample: int
    outcome: CaptureOutcome | None
    reason: str | None
    error_class: str | None
    model: str | None
    text: str | None
    named: list[NamedOut]
    mentions: list[MentionOut]
    citations: list[CitationOut]
    took: timedelta | None
    cost: MoneyOut | None
    possibly_paid: int


class CheckDocument(BaseModel):
    """The document: additions may come, names and meanings stay."""

    check: int
    state: CheckState
    brand: str
    competitors: list[str]
    cost: list[MoneyOut]
    captures: list[CaptureDocument]


def document_of(check: CheckView, answers: Sequence[AnswerView]) -> CheckDocument:
    """Return the document of a check; `answers` are those of its captures."""
    return CheckDocument(
        check=check.id,
        state=check.state,
        brand=check.ours.name,
        competitors=[brand.name for brand in check.brands if not brand.ours],
        cost=[MoneyOut.model_validate(money) for money in check.cost],
        captures=[_capture(answer) for answer in answers],
    )


def _capture(answer: AnswerView) -> CaptureDocument:
    capture = answer.capture
    return CaptureDocument(
        id=capture.id,
        prompt=answer.prompt.text,
        language=answer.prompt.language,
        country=answer.prompt.country,
        engine=capture.engine,
        surface=capture.surface,
        sample=capture.sample,
        outcome=capture.outcome,
        reason=capture.reason,
        error_class=capture.error_class,
        model=answer.model,
        text=answer.text,
        named=[NamedOut.model_validate(name) for name in capture.named],
        mentions=[MentionOut.model_validate(mention) for mention in answer.mentions],
        citations=[CitationOut.model_validate(citation) for citation in answer.citations],
        took=capture.took,
        cost=None if capture.cost is None else MoneyOut.model_validate(capture.cost),
        possibly_paid=capture.possibly_paid,
    )
