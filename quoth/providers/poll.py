"""How an accepted answer is waited for."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from datetime import timedelta

from quoth.providers.contract import Busy, Gone, NotSent, Raw, Unknown
from quoth.providers.json_body import load_object

# All else is over, a word that we do not know included: it must not be waited out.
PENDING = frozenset({"queued", "in_progress", "cancelling"})

SHARE_OF_THE_WAIT = 0.04
# More waiting captures than this share what polls these would make; 200 a second by default.
CROWD = 100
SLOWEST = timedelta(seconds=5)
SLOWEST_IN_TROUBLE = timedelta(seconds=30)
# Read just after it was written, an id may not be everywhere yet; what was bought is worth asking.
TIMES_UNKNOWN = 3


class Polling:
    """How one engine is polled: the more captures wait on it, the less often for each."""

    def __init__(self, floor: timedelta) -> None:
        self._floor = floor
        self._waiting = 0

    async def until_over(self, fetch: Callable[[], Awaitable[Raw]]) -> Raw:
        """Fetch a response until it is over, as often as its age deserves; has no deadline.

        Trouble on the way only slows it down: what was bought stays bought. Raises `Gone` when
        the engine keeps saying that it does not know the id, and what ends the waiting for good.
        """
        self._waiting += 1
        try:
            return await self._poll(fetch)
        finally:
            self._waiting -= 1

    async def _poll(self, fetch: Callable[[], Awaitable[Raw]]) -> Raw:
        clock = asyncio.get_running_loop().time
        began = clock()
        troubles = unknown = 0
        asked = 0.0
        while True:
            wait = pace(clock() - began, self._floor, crowd=self._waiting)
            wait = max(in_trouble(wait, troubles), asked)
            await asyncio.sleep(wait * random.uniform(0.8, 1.2))  # noqa: S311
            asked = 0.0
            try:
                raw = await fetch()
            except Gone:
                unknown += 1
                if unknown == TIMES_UNKNOWN:
                    raise
                continue
            except (Busy, NotSent, Unknown) as error:
                troubles += 1
                asked = _asked(error)
                continue
            reply = load_object(raw.body)
            if reply is None:
                troubles += 1
            elif reply.get("status") in PENDING:
                troubles = unknown = 0
            else:
                return raw


def pace(waited: float, floor: timedelta, *, crowd: int = 1) -> float:
    """Return how long to sleep after having `waited`: a twenty-fifth of it, within bounds."""
    shortest = floor.total_seconds() * max(1.0, crowd / CROWD)
    return max(min(waited * SHARE_OF_THE_WAIT, SLOWEST.total_seconds()), shortest)


def in_trouble(wait: float, troubles: int) -> float:
    """Return a wait that doubles with each failure in a row."""
    return float(min(wait * 2 ** min(troubles, 16), max(SLOWEST_IN_TROUBLE.total_seconds(), wait)))


def _asked(error: Busy | NotSent | Unknown) -> float:
    return error.after.total_seconds() if isinstance(error, Busy) and error.after else 0.0
