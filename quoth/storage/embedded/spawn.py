"""Start a postmaster that outlives us and that no signal to us reaches."""

import socket

from quoth.storage.embedded.account import Account
from quoth.storage.embedded.errors import explain
from quoth.storage.embedded.layout import Layout
from quoth.storage.embedded.locks import FileLock
from quoth.storage.embedded.programs import Programs

# No postmaster lives when this runs, so what a dead one left may have been given to another
# process's number: PostgreSQL would believe that process to be its postmaster.
CLEAR = 'rm -f -- "$1"/.s.PGSQL.* "$2/postmaster.pid"; printf %s "$4" >"$3"'

# The shell ends at once: the server is a child of nobody's.
SPAWN = '"$1" -D "$2" </dev/null >>"$3" 2>&1 &'


def spawn(layout: Layout, account: Account, programs: Programs, lock: FileLock) -> None:
    """Start the server, which inherits `lock`; whether it lives shows by that lock."""
    cleared = account.shell(
        CLEAR, layout.socket_dir, layout.cluster, layout.server_lock, socket.gethostname()
    )
    if cleared.returncode:
        raise explain(cleared.stderr, layout.data_dir)
    started = account.shell(
        SPAWN, programs["postgres"], layout.cluster, layout.log, keep_open=(lock.number,)
    )
    if started.returncode:
        raise explain(started.stderr, layout.data_dir)
