"""What happens, told once: rooms emit events, subscribers log or count them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: a dotted name and the facts, none of them secret."""

    name: str
    facts: Mapping[str, object]
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


Subscriber = Callable[[Event], None]

_subscribers: list[Subscriber] = []


def subscribe(subscriber: Subscriber) -> Callable[[], None]:
    """Have `subscriber` called with every later event; call the result to stop."""
    _subscribers.append(subscriber)
    return lambda: _subscribers.remove(subscriber)


def emit(name: str, **facts: object) -> None:
    """Tell every subscriber that `name` happened."""
    if not _subscribers:
        return
    event = Event(name, facts)
    for subscriber in tuple(_subscribers):
        subscriber(event)


def emit_failure(work: str, error: Exception) -> None:
    """Tell that one turn of a loop failed (the shape `loops.every` wants)."""
    emit("loop.failed", work=work, error=error)
