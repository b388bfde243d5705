"""What the measured jobs do: the same functions in every system's worker."""

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

# Longer than any recovery that is waited for.
HANG = 3600

# Some systems run jobs on several threads; taking the next of a count needs no lock.
_nth = itertools.count(1)
_expected = [0]


def expect(count: int) -> None:
    """Say `ran` after so many bodies."""
    _expected[0] = count


def say(**facts: Any) -> None:
    """Tell whoever started this process."""
    print(json.dumps(facts), flush=True)


async def noop(number: int) -> None:
    """Nothing."""
    _count()


async def nap(number: int) -> None:
    """A second of waiting, as for an answer."""
    await asyncio.sleep(1)
    _count()


async def stamp(number: int) -> None:
    """Say when it began."""
    say(started=number, at=time.time())


async def hang(number: int) -> None:
    """Say when it began, and never end."""
    say(started=number, at=time.time())
    await asyncio.sleep(HANG)


def _count() -> None:
    if next(_nth) == _expected[0]:
        say(ran=_expected[0], at=time.time())


BODIES: dict[str, Callable[[int], Awaitable[None]]] = {
    "noop": noop,
    "nap": nap,
    "stamp": stamp,
    "hang": hang,
}
