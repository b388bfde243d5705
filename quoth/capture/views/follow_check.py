"""When to look at a check again."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta

from quoth.capture.channels import CHECK_CHANGED
from quoth.loops import first_of
from quoth.storage import Database

AT_MOST_EVERY = timedelta(milliseconds=250)
# A notice may be lost; where nobody listens (no direct way to the database) all of them are.
AT_LEAST_EVERY = timedelta(seconds=10)
AT_LEAST_EVERY_UNHEARD = timedelta(seconds=1)


async def follow_check(
    database: Database, check_id: int, closing: asyncio.Event
) -> AsyncGenerator[None, None]:
    """Yield at once, after changes of the check, and now and then, until `closing` is set.

    Changes that come together count as one.
    """
    changed = asyncio.Event()

    def heard(payload: str) -> None:
        if payload in ("", str(check_id)):
            changed.set()

    heard_at_all = database.addresses.direct is not None
    at_most = AT_LEAST_EVERY if heard_at_all else AT_LEAST_EVERY_UNHEARD
    unsubscribe = database.notices.subscribe(CHECK_CHANGED, heard)
    try:
        while not closing.is_set():
            changed.clear()
            yield
            await asyncio.sleep(AT_MOST_EVERY.total_seconds())
            await first_of(changed, closing, at_most=at_most)
    finally:
        unsubscribe()
