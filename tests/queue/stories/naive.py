"""Puts a naive statement in the place of ours, to see that a scenario can go wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from quoth.storage import Statement, Statements


@contextmanager
def naive(room: Statements, name: str, text: str) -> Iterator[None]:
    """Within the block `room` has this statement under `name`."""
    with pytest.MonkeyPatch.context() as patch:
        assert getattr(room, name)
        patch.setitem(room._statements, name, Statement(text.encode()))
        yield
