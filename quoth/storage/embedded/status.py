"""A look at the embedded server that changes nothing."""

from dataclasses import dataclass
from pathlib import Path

from quoth.storage.embedded.account import account_for
from quoth.storage.embedded.create import is_created
from quoth.storage.embedded.errors import explained
from quoth.storage.embedded.layout import Layout
from quoth.storage.embedded.postmaster import find_postmaster
from quoth.storage.embedded.programs import installed_programs


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What there is. `state`: not created, stopped, starting, ready or stopping."""

    place: Path
    version: str
    state: str
    pid: int | None
    socket_dir: Path
    log: Path
    backups: Path
    url: str


def server_status(data_dir: Path) -> ServerStatus:
    """Look. Raises `EmbeddedServerError` where a start would for the same reason."""
    layout = Layout(data_dir.absolute())
    with explained(layout.data_dir):
        # A start would refuse what this refuses.
        account_for(layout.cluster, layout.data_dir)
        state = "stopped" if is_created(layout) else "not created"
        postmaster = find_postmaster(layout)
    return ServerStatus(
        place=layout.data_dir,
        version=installed_programs().server_version,
        state=state if postmaster is None else postmaster.state,
        pid=None if postmaster is None else postmaster.pid,
        socket_dir=layout.socket_dir,
        log=layout.log,
        backups=layout.backups,
        url=layout.url,
    )
