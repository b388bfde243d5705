"""How long a paid call may still be sent after it was written down."""

import asyncio
from datetime import timedelta


class CallTime:
    """How long a call that was written down may still go out: as long as its place is kept."""

    def __init__(self) -> None:
        self._until = 0.0

    def begin(self, call: timedelta) -> None:
        """Count from now on, which is before it is written down."""
        self._until = asyncio.get_running_loop().time() + call.total_seconds()

    def is_over(self) -> bool:
        """Whether a place that is kept for the call would be free by now."""
        return asyncio.get_running_loop().time() > self._until
