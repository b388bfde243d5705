from datetime import timedelta

import pytest

from quoth.capture.failures import AttemptEnd, Next, Phase, failure_of
from quoth.providers.contract import (
    AccountProblem,
    Busy,
    Faulty,
    Gone,
    Malformed,
    NotSent,
    ProviderError,
    Raw,
    Rejected,
    Unknown,
    WrongModel,
)


class Surprise(ProviderError):
    """A kind of error that a later adapter may bring."""


@pytest.mark.parametrize(
    ("error", "phase", "end", "then", "possibly_paid"),
    [
        (NotSent("x"), "sending", "not_sent", "retry", False),
        (NotSent("x"), "collecting", None, "retry", False),
        (Busy("x"), "sending", "refused", "defer", False),
        (Busy("x"), "collecting", None, "defer", False),
        (Busy("x"), "reading", "refused", "defer", False),
        (Unknown("x"), "sending", "unknown", "retry", True),
        (Unknown("x"), "collecting", None, "retry", False),
        (AccountProblem("x"), "sending", "refused", "discard", False),
        (AccountProblem("x"), "collecting", None, "discard", False),
        (AccountProblem("x"), "reading", "refused", "discard", False),
        (Faulty("x"), "sending", "failed", "retry", False),
        (Faulty("x"), "reading", "failed", "retry", False),
        (Gone("x"), "collecting", "failed", "retry", True),
        (Rejected("x"), "sending", "refused", "discard", False),
        (Malformed("x"), "sending", "failed", "discard", True),
        (Malformed("x"), "reading", "failed", "discard", False),
        (WrongModel("x"), "reading", "failed", "discard", False),
        (Surprise("x"), "sending", "failed", "discard", False),
    ],
)
def test_each_error_in_each_phase_has_its_meaning(
    error: ProviderError, phase: Phase, end: AttemptEnd | None, then: Next, possibly_paid: bool
) -> None:
    failure = failure_of(error, phase)

    assert (failure.end, failure.then, failure.possibly_paid) == (end, then, possibly_paid)
    assert failure.reason == "x"


def test_a_busy_engine_says_when_to_come_back() -> None:
    assert failure_of(Busy("x", after=timedelta(seconds=7)), "sending").after == timedelta(
        seconds=7
    )


def test_the_errors_own_reply_goes_before_the_one_that_was_read() -> None:
    read, own = Raw(200, {}, b"read"), Raw(500, {}, b"own")

    assert failure_of(Malformed("x", raw=own), "reading", read).raw is own
    assert failure_of(Malformed("x"), "reading", read).raw is read
