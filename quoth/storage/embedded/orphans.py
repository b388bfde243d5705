"""Children of a postmaster that was killed: they end by themselves, or are ended."""

import os
import signal
from contextlib import suppress
from datetime import timedelta

from quoth.storage.embedded.layout import Layout
from quoth.storage.embedded.postmaster import orphans
from quoth.storage.embedded.tell import Tell

# A child sees at once that its postmaster is gone, unless it is stopped or deep in a system call.
BY_THEMSELVES = timedelta(seconds=3)


def end_orphans(layout: Layout, waited: timedelta, tell: Tell) -> bool:
    """Say if any are left; those that did not end by themselves are killed.

    Their shared memory died with the postmaster: what they would still do is lost in any case.
    """
    left = list(orphans(layout))
    if left and waited > BY_THEMSELVES:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        tell("embedded.orphans_ended", pids=left)
    return bool(left)
