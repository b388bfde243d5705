"""Notices between processes: heard here at once, told to the others soon after the commit."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Self

from quoth.observability.events import emit_failure

Heard = Callable[[str], None]
Announce = Callable[[list[tuple[str, str]]], Awaitable[None]]

# One NOTIFY per process and 20 ms costs commits nothing; one per row costs four fifths of them.
QUIET = timedelta(milliseconds=20)
# The end does not wait for a server that is away: polling makes up for what was not told.
LAST_WITHIN = timedelta(seconds=2)


class Notices:
    """Channels with payloads. A lost notice is made up for by polling, never an error."""

    def __init__(self, announce: Announce) -> None:
        self._announce = announce
        self._subscribers: defaultdict[str, list[Heard]] = defaultdict(list)
        self._unsent: dict[tuple[str, str], None] = {}
        self._any = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def open(cls, announce: Announce) -> AsyncIterator[Self]:
        """Send what is to be sent until the block ends, the last ones included."""
        notices = cls(announce)
        sending = asyncio.create_task(notices._send_all())
        try:
            yield notices
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_WITHIN.total_seconds()):
                    await notices._flush()

    def subscribe(self, channel: str, heard: Heard) -> Callable[[], None]:
        """Have `heard` called with each payload on `channel`; call the result to stop."""
        self._subscribers[channel].append(heard)
        return lambda: self._subscribers[channel].remove(heard)

    def send(self, channel: str, payload: str) -> None:
        """Tell this process now and the others within `QUIET`, equal notices once."""
        self.deliver(channel, payload)
        self._unsent[channel, payload] = None
        self._any.set()

    def deliver(self, channel: str, payload: str) -> None:
        """Tell the subscribers in this process."""
        for heard in tuple(self._subscribers[channel]):
            heard(payload)

    def deliver_all(self) -> None:
        """Tell every subscriber that something may have been missed (payload empty)."""
        for channel in tuple(self._subscribers):
            self.deliver(channel, "")

    async def _send_all(self) -> None:
        while True:
            await self._any.wait()
            await self._flush()
            await asyncio.sleep(QUIET.total_seconds())

    async def _flush(self) -> None:
        self._any.clear()
        unsent, self._unsent = list(self._unsent), {}
        if not unsent:
            return
        try:
            await self._announce(unsent)
        except asyncio.CancelledError:
            # Perhaps told, perhaps not: the last flush tells it again.
            self._unsent = {**dict.fromkeys(unsent), **self._unsent}
            raise
        except Exception as error:  # noqa: BLE001 - polling makes up for a lost notice
            emit_failure("notices.announce", error)
