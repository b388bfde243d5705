"""How many calls were out at the same time, seen from the engines."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from tests.chaos.joined import Made, Story


@dataclass(frozen=True, slots=True)
class Span:
    """From when until when a call was out, as far as its owner is answerable for it."""

    begins: float
    ends: float


def span_of(made: Made, story: Story, *, longest: float) -> Span | None:
    """None for a call that is answered for elsewhere: see `Made.too_late`.

    A call of which the id is known is out until the engine has done, or its attempt or capture
    has ended: also while its worker is frozen, dead or drained and nobody polls. One of which no
    id is known is out until its reply has come, or its own time is over; what the engine goes on
    with after that nobody can count who does not know of it, and the attempt admits it. What never
    ends at the engine counts for `longest`, within the deadline at which it is told to stop: it may
    not hear that.
    """
    if made.attempt is None or made.too_late:
        return None
    ends = [made.attempt.ended_at or inf, story.capture.ended_at or inf]
    if made.purchase is not None and made.known:
        over = made.purchase.over_at()
        ends.append(over if over < inf else made.call.began + longest)
    else:
        ends.append(made.attempt.call_until)
    return Span(made.call.began, max(made.call.began, min(ends)))


def most_at_once(spans: Iterable[Span]) -> int:
    """An end comes before a beginning at the same instant."""
    edges = sorted(
        edge
        for span in spans
        for edge in ((span.begins, 1), (span.ends, -1))
        if span.ends > span.begins
    )
    most = now = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most
