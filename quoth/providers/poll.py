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
SLOWEST = timedelta(seconds=5)
SLOWEST_IN_TROUBLE = timedelta(seconds=30)
# Read just after it was written, an id may not be everywhere yet; what was bought is worth asking.
TIMES_UNKNOWN = 3


async def until_over(fetch: Callable[[], Awaitable[Raw]], *, floor: timedelta) -> Raw:
    """Fetch a response until it is over, as often as its age deserves; has no deadline itself.

    Trouble on the way only slows it down: what was bought stays bought. Raises `Gone` when the
    engine keeps saying that it does not know the id, and whatever ends the waiting for good.
    """
    clock = asyncio.get_running_loop().time
    began = clock()
    wait = floor.total_seconds()
    troubles = unknown = 0
    while True:
        await asyncio.sleep(wait * random.uniform(0.8, 1.2))  # noqa: S311
        wait = pace(clock() - began, floor)
        try:
            raw = await fetch()
        except Gone:
            unknown += 1
            if unknown == TIMES_UNKNOWN:
                raise
            continue
        except (Busy, NotSent, Unknown) as error:
            troubles += 1
            wait = max(in_trouble(wait, troubles), _asked(error))
            continue
        reply = load_object(raw.body)
        if reply is None:
            troubles += 1
            wait = in_trouble(wait, troubles)
        elif reply.get("status") in PENDING:
            troubles = unknown = 0
        else:
            return raw


def pace(waited: float, floor: timedelta) -> float:
    """Return how long to sleep after having `waited`: a twenty-fifth of it, within bounds."""
    longest = max(SLOWEST, floor).total_seconds()
    return min(max(waited * SHARE_OF_THE_WAIT, floor.total_seconds()), longest)


def in_trouble(wait: float, troubles: int) -> float:
    """Return a wait that doubles with each failure in a row."""
    return float(min(wait * 2 ** min(troubles, 16), max(SLOWEST_IN_TROUBLE.total_seconds(), wait)))


def _asked(error: Busy | NotSent | Unknown) -> float:
    return error.after.total_seconds() if isinstance(error, Busy) and error.after else 0.0
