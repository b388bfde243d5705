"""The server's log: one file, kept small, read when a start fails."""

from quoth.storage.embedded.account import Account
from quoth.storage.embedded.layout import Layout

LARGEST = 5_000_000
TAIL = 2_000


def size(layout: Layout) -> int:
    """How much has been said so far."""
    try:
        return layout.log.stat().st_size
    except FileNotFoundError:
        return 0


def read_from(layout: Layout, offset: int) -> str:
    """What has been said since the log was `offset` bytes long."""
    try:
        with layout.log.open("rb") as log:
            log.seek(offset)
            return log.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def last_line(layout: Layout) -> str:
    """What was said last: during a recovery, how far it has got."""
    lines = read_from(layout, max(0, size(layout) - TAIL)).splitlines()
    return lines[-1] if lines else ""


def rotate(layout: Layout, account: Account) -> None:
    """Keep one older file. The server has this one open for appending: it is emptied in place."""
    if size(layout) > LARGEST:
        account.shell('umask 077; cp -f "$1" "$1.1"; : >"$1"', layout.log)
