"""The judge is judged: a story that is true passes, and each way of falsifying it is seen."""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from quoth.simulator.faults import Fault
from quoth.simulator.ledger import Purchase
from quoth.simulator.order import Order
from tests.chaos.books import Call
from tests.chaos.invariants import breaches_of, breaches_of_jobs
from tests.chaos.joined import Made, Story, match
from tests.chaos.limits import Span, most_at_once, span_of
from tests.chaos.rows import Attempt, Capture, Job

CAPTURE = Capture(
    1, "chatgpt", "?", "answered", None, None, 30.0, 2, gzip.compress(b'{"id": "resp_2"}'), 1
)
# A call of which nobody heard again, and the one that was answered.
LOST = Attempt(1, 1, "unknown", True, None, "outcome_unknown", 1, 10.0, 14.0, None, 15.0)
GOOD = Attempt(2, 1, "answered", False, "resp_2", None, 3, 20.0, 24.0, 20.2, 30.0)
ORDER = Order("?", "?", "gpt", searches=True, background=True, stored=True, request={})
JOB = Job(1, 1, "chatgpt/simulator", "done", None, 4, 1, None)


def bought(number: int, at: float, fate: Fault | None = None) -> Purchase:
    return Purchase(f"resp_{number}", "chatgpt", ORDER, number, at, at, at + 1, fate=fate)


def call(number: int, at: float) -> Call:
    return Call("chatgpt", "?", at, f"resp_{number}")


def story(*attempts: Attempt, capture: Capture = CAPTURE, fate: Fault | None = None) -> Story:
    """Each attempt made a purchase, a tenth of a second after it was written down."""
    purchases = {f"resp_{one.id}": bought(one.id, one.sent_at + 0.1, fate) for one in attempts}
    calls = [call(one.id, one.sent_at + 0.1) for one in attempts]
    return Story(capture, attempts, match(calls, attempts, purchases))


def uncalled(told: Story) -> Story:
    return replace(told, attempts=told.attempts[1:], made=match(
        [made.call for made in told.made], told.attempts[1:],
        {made.purchase.id: made.purchase for made in told.made if made.purchase},
    ))  # fmt: skip


def test_what_is_true_is_not_complained_of() -> None:
    told = story(LOST, GOOD)

    assert list(breaches_of(told, [])) == []
    assert list(breaches_of_jobs([told], [JOB])) == []


KNOWN = replace(LOST, engine_ref="resp_1", accepted_at=10.2, possibly_paid=False)


def falsified() -> Iterator[tuple[str, Story]]:
    yield "has no outcome", story(LOST, GOOD, capture=replace(CAPTURE, outcome=None))
    yield "with 2 answers", story(LOST, GOOD, capture=replace(CAPTURE, answers=2))
    yield "answering attempts", story(replace(GOOD, id=1, engine_ref="resp_1"), GOOD)
    yield "another attempt's", story(LOST, GOOD, capture=replace(CAPTURE, attempt_id=1))
    yield (
        "is the reply to",
        story(LOST, GOOD, capture=replace(CAPTURE, body=gzip.compress(b'{"id": "resp_1"}'))),
    )
    yield "never bought for it", replace(story(LOST, GOOD), made=story(LOST).made)
    yield "'possibly' paid", story(LOST, replace(GOOD, possibly_paid=True))
    yield "is in the ledger 2 times", story(replace(LOST, engine_ref="resp_2"), GOOD)
    yield "was not written down", uncalled(story(LOST, GOOD))
    yield "still 'sending'", story(replace(LOST, state="sending"), GOOD)
    yield "does not admit it", story(replace(LOST, possibly_paid=False), GOOD)
    yield "thrown away as failed, silently", story(replace(KNOWN, state="failed"), GOOD)
    yield "thrown away as accepted, silently", story(replace(KNOWN, state="accepted"), GOOD)
    yield "was made though resp_1 was there", story(replace(KNOWN, state="accepted"), GOOD)
    yield (
        "was made though resp_1 was there",
        story(replace(KNOWN, state="late", possibly_paid=True), GOOD),
    )


@pytest.mark.parametrize(("said", "told"), list(falsified()))
def test_what_is_false_is_seen(said: str, told: Story) -> None:
    assert any(said in breach for breach in breaches_of(told, []))


def test_what_the_engine_spoilt_may_be_thrown_away() -> None:
    told = story(replace(KNOWN, state="failed"), GOOD, fate=Fault("failed"))

    assert list(breaches_of(told, [])) == []


@pytest.mark.parametrize(
    "wrong",
    [
        list,
        lambda: [JOB, JOB],
        lambda: [replace(JOB, state="running")],
        lambda: [replace(JOB, slot=3)],
        lambda: [replace(JOB, state="failed")],
    ],
)
def test_a_job_that_disagrees_with_its_capture_is_seen(wrong: Callable[[], list[Job]]) -> None:
    assert list(breaches_of_jobs([story(LOST, GOOD)], wrong()))


def test_a_call_that_is_known_is_out_until_the_engine_has_done() -> None:
    told = story(LOST, GOOD)
    unknown, known = (span_of(made, told, longest=8) for made in told.made)

    # The one until its own time was over, the other as long as the engine took.
    assert unknown == Span(10.1, 14.0)
    assert known == Span(20.1, 21.1)


def test_a_call_sent_when_its_time_was_over_is_told_apart() -> None:
    late = Made(call(1, 14.5), LOST, bought(1, 14.5))

    assert late.too_late
    assert span_of(late, story(LOST, GOOD), longest=8) is None


def test_most_at_once_counts_overlaps_and_no_touches() -> None:
    assert most_at_once([Span(0, 2), Span(1, 3), Span(2, 4), Span(3, 3)]) == 2
