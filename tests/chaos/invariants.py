"""What must be true when all is over, capture by capture. Pure; each breach is a sentence.

Of money: each paid call that reached an engine was written down before. Each purchase is known to
the ledger by its id, or the attempt it belongs to admits that it may be paid. What is known and
not the answer was spoilt by the engine, or is admitted, or can still be collected. And while a call
that is known can be collected, no other is bought.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tests.chaos.joined import SLACK, Made, Story
from tests.chaos.rows import Attempt, Job
from tests.chaos.weather import Met

# What an engine says while an answer is waited for and in earnest: nothing is collected after it.
LAST_WORDS = frozenset({"400", "404", "422"})
ENDED = ("done", "failed", "cancelled")


def breaches_of(story: Story, met: Sequence[Met]) -> Iterator[str]:
    """`met` are the faults that requests for this capture met."""
    for breach in (
        *_outcome(story),
        *_calls(story),
        *_purchases(story, met),
        *_bought_twice(story),
    ):
        yield f"capture {story.capture.id}: {breach}"


def _outcome(story: Story) -> Iterator[str]:
    capture = story.capture
    answering = [attempt for attempt in story.attempts if attempt.state == "answered"]
    bought = {made.purchase.id for made in story.made if made.purchase}
    if capture.outcome is None:
        yield "has no outcome"
    if capture.answers != int(capture.answered):
        yield f"is {capture.outcome} with {capture.answers} answers"
    if len(answering) != int(capture.answered):
        yield f"is {capture.outcome} with {len(answering)} answering attempts"
    for attempt in answering:
        if attempt.id != capture.attempt_id:
            yield "its answer is another attempt's"
        if attempt.engine_ref != capture.answered_by:
            yield f"its answer is the reply to {capture.answered_by}, not {attempt.engine_ref}"
        if attempt.engine_ref not in bought:
            yield "its answer was never bought for it"
        if attempt.possibly_paid:
            yield "its answer is 'possibly' paid"


def _calls(story: Story) -> Iterator[str]:
    refs = Counter(attempt.engine_ref for attempt in story.attempts if attempt.engine_ref)
    bought = {made.purchase.id for made in story.made if made.purchase}
    for ref, times in refs.items():
        if times > 1:
            yield f"{ref} is in the ledger {times} times"
        if ref not in bought:
            yield f"{ref} is in the ledger and was not bought for it"
    for made in story.made:
        if made.attempt is None:
            yield f"a call at {made.call.began:.3f} was not written down before it was made"
    for attempt in story.attempts:
        if attempt.state == "sending":
            yield f"attempt {attempt.id} is still 'sending'"


def _purchases(story: Story, met: Sequence[Met]) -> Iterator[str]:
    for made in story.made:
        if made.purchase is None or made.attempt is None:
            continue
        if not made.known and not made.attempt.possibly_paid:
            yield f"{made.purchase.id} was bought and attempt {made.attempt.id} does not admit it"
        if made.known and not _accounted_for(made, made.attempt, story, met):
            yield f"{made.purchase.id} was thrown away as {made.attempt.state}, silently"


def _accounted_for(made: Made, attempt: Attempt, story: Story, met: Sequence[Met]) -> bool:
    """Whether the ledger says rightly what became of a purchase that it knows."""
    if attempt.possibly_paid or attempt.state == "answered":
        return True
    if attempt.state == "accepted":
        # Still to be collected, by a retry of a person.
        return not story.capture.answered
    spoilt = made.purchase is not None and (
        made.purchase.fate is not None or made.purchase.cancelled_at is not None
    )
    spoilt = spoilt or any(one.on == "poll" and one.kind in LAST_WORDS for one in met)
    return attempt.state in ("failed", "refused") and spoilt


def _bought_twice(story: Story) -> Iterator[str]:
    """An attempt that was known when a later one was decided on, and was good to collect."""
    for earlier in story.attempts:
        for later in story.attempts:
            slack = 1.0 if earlier.possibly_paid else SLACK
            if (
                earlier.accepted_at is not None
                and earlier.accepted_at + slack < later.sent_at
                and earlier.state in ("answered", "accepted", "late")
            ):
                yield f"attempt {later.id} was made though {earlier.engine_ref} was there"


def breaches_of_jobs(stories: Iterable[Story], jobs: Iterable[Job]) -> Iterator[str]:
    """One job a capture, at an end, in no place, and in agreement with its capture."""
    by_capture: dict[int, list[Job]] = {}
    for job in jobs:
        by_capture.setdefault(job.capture_id, []).append(job)
    for story in stories:
        mine = by_capture.get(story.capture.id, [])
        if len(mine) != 1:
            yield f"capture {story.capture.id}: has {len(mine)} jobs"
        for job in mine:
            if job.state not in ENDED or job.slot is not None:
                yield f"job {job.id}: is {job.state} in place {job.slot}"
            if (job.state == "done") != story.capture.answered:
                yield f"job {job.id}: is {job.state}, its capture {story.capture.outcome}"
