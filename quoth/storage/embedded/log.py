"""The server's log: one file, kept small, read when a start fails."""

from quoth.storage.embedded.account import Account
from quoth.storage.embedded.layout import Layout

LARGEST = 5_000_000


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


def rotate(layout: Layout, account: Account) -> None:
    """Keep one older file. The server appends to the file it has open, so it is emptied in place."""
    if size(layout) > LARGEST:
        account.shell('cp -f "$1" "$1.1" && : >"$1"', layout.log)
