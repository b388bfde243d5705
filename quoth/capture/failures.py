"""What a provider's error means: for the attempt, and for what the job does next. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from quoth.providers.contract import (
    AccountProblem,
    Busy,
    Cost,
    Faulty,
    Gone,
    Malformed,
    NotSent,
    ProviderError,
    Raw,
    Rejected,
    Reply,
    Unknown,
    WrongModel,
)

# Where in a try the error came: in the paid call, while waiting for what it bought, in its reply.
Phase = Literal["sending", "collecting", "reading"]
Next = Literal["retry", "defer", "discard"]
AttemptEnd = Literal["not_sent", "refused", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Failure:
    """`end` is what the attempt becomes; None leaves it accepted, so that it can be re-attached.

    `error_class` is what people filter by.
    """

    reason: str
    error_class: str
    end: AttemptEnd | None
    then: Next
    possibly_paid: bool = False
    after: timedelta | None = None
    raw: Raw | None = None
    usage: Mapping[str, object] | None = None
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class Meaning:
    """An error `on_the_way` is no word about the call: while waiting, what is bought stays so."""

    error_class: str
    end: AttemptEnd
    then: Next
    on_the_way: bool = False
    possibly_paid: bool = False


MEANINGS: Mapping[type[ProviderError], Meaning] = {
    NotSent: Meaning("not_sent", "not_sent", "retry", on_the_way=True),
    Busy: Meaning("busy", "refused", "defer", on_the_way=True),
    Unknown: Meaning("outcome_unknown", "unknown", "retry", on_the_way=True, possibly_paid=True),
    AccountProblem: Meaning("account", "refused", "discard", on_the_way=True),
    Faulty: Meaning("faulty", "failed", "retry"),
    Gone: Meaning("gone", "failed", "retry", possibly_paid=True),
    Rejected: Meaning("rejected", "refused", "discard"),
    Malformed: Meaning("malformed", "failed", "discard"),
    WrongModel: Meaning("wrong_model", "failed", "discard"),
    ProviderError: Meaning("unexpected", "failed", "discard"),
}


def failure_of(error: ProviderError, phase: Phase, raw: Raw | None = None) -> Failure:
    """Every error in every phase has its meaning. `raw` is what was being read when it came."""
    meaning = next(MEANINGS[cls] for cls in type(error).__mro__ if cls in MEANINGS)
    stays = meaning.on_the_way and phase == "collecting"
    # A reply to the paid call that cannot be read does not say whether the call was taken.
    unsaid = phase == "sending" and isinstance(error, Malformed)
    return Failure(
        error.reason,
        meaning.error_class,
        None if stays else meaning.end,
        meaning.then,
        possibly_paid=unsaid or (meaning.possibly_paid and not stays),
        after=error.after if isinstance(error, Busy) else None,
        raw=error.raw or raw,
    )


def empty_answer(reply: Reply, raw: Raw, *, again: bool) -> Failure:
    """An answer without a word; `again` says that it is worth another call."""
    return Failure(
        "the engine answered without a word",
        "empty",
        "failed",
        "retry" if again else "discard",
        raw=raw,
        usage=reply.usage,
        cost=reply.cost,
    )
