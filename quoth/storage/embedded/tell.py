"""Where the blocking parts say what they wait for."""

from typing import Protocol


class Tell(Protocol):
    """The shape of `events.emit`; called from a thread."""

    def __call__(self, name: str, **facts: object) -> None:
        """Tell that `name` happened."""
        ...
