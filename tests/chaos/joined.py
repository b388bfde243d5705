"""Both sides of each capture together: its rows, and what reached the engine for it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from quoth.simulator.ledger import Purchase
from tests.chaos.books import Call
from tests.chaos.rows import Attempt, Capture, Rows

# Instants of the two sides are compared: one machine's clock, read a moment apart.
SLACK = 0.05


@dataclass(frozen=True, slots=True)
class Made:
    """A paid call that reached the engine, and the attempt that it was written down as."""

    call: Call
    attempt: Attempt | None
    purchase: Purchase | None

    @property
    def known(self) -> bool:
        """Whether the ledger has the engine's id of what was bought."""
        return (
            self.purchase is not None
            and self.attempt is not None
            and self.attempt.engine_ref == self.purchase.id
        )

    @property
    def too_late(self) -> bool:
        """Whether it was sent when its own time was over, by a process that had stood still."""
        return self.attempt is not None and self.call.began > self.attempt.call_until + SLACK


@dataclass(frozen=True, slots=True)
class Story:
    """All of one capture."""

    capture: Capture
    attempts: Sequence[Attempt]
    made: Sequence[Made]


def join(
    rows: Rows, calls: Iterable[Call], purchases: Mapping[str, Purchase]
) -> tuple[list[Story], list[Call]]:
    """The stories, and the calls that are no capture's."""
    called: defaultdict[tuple[str, str], list[Call]] = defaultdict(list)
    for call in calls:
        called[call.engine, call.prompt].append(call)
    attempts: defaultdict[int, list[Attempt]] = defaultdict(list)
    for attempt in rows.attempts:
        attempts[attempt.capture_id].append(attempt)
    stories = [
        Story(
            capture,
            attempts[capture.id],
            match(
                called.pop((capture.engine, capture.question), []),
                attempts[capture.id],
                purchases,
            ),
        )
        for capture in rows.captures
    ]
    return stories, [call for left in called.values() for call in left]


def match(
    calls: Sequence[Call], attempts: Sequence[Attempt], purchases: Mapping[str, Purchase]
) -> list[Made]:
    """Each call with one attempt of its own: by the engine's id, else the last one before it.

    A call without an attempt is one that was never written down.
    """
    by_ref = {attempt.engine_ref: attempt for attempt in attempts if attempt.engine_ref}
    free = [attempt for attempt in attempts if not attempt.engine_ref]
    made: list[Made] = []
    for call in sorted(calls, key=lambda call: call.began):
        purchase = purchases[call.purchase] if call.purchase else None
        attempt = by_ref.get(call.purchase) if call.purchase else None
        if attempt is None:
            before = [one for one in free if one.sent_at <= call.began + SLACK]
            attempt = max(before, key=lambda one: one.sent_at, default=None)
            if attempt is not None:
                free.remove(attempt)
        made.append(Made(call, attempt, purchase))
    return made
