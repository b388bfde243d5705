"""The server's settings and who may connect, written anew at each start."""

from dataclasses import dataclass

from quoth.storage.embedded.account import Account
from quoth.storage.embedded.errors import explain
from quoth.storage.embedded.layout import SUPERUSER, Layout

# Nobody but the processes of the users in the map, each proven by the kernel; no TCP at all.
HBA = "local all all peer map=quoth\n"

INCLUDE = "\ninclude 'quoth.conf'\n"

CONF = """\
# Written by Quoth at each start. Your own settings: `alter system set ...`.
listen_addresses = ''
unix_socket_directories = '"{socket_dir}"'
unix_socket_permissions = 0777  # the directory is private, and `peer` asks who connects
max_connections = {connections}
shared_buffers = '64MB'
max_wal_size = '512MB'
random_page_cost = 1.1
jit = off
# A fresh database fills within seconds: plans made for empty tables must not last a minute.
autovacuum_naptime = '5s'
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_destination = 'stderr'
logging_collector = off
log_line_prefix = '%m [%p] '
log_checkpoints = off
log_startup_progress_interval = '2s'
# Statements hold what people typed: a failed one is told to the caller, not to the log.
log_min_error_statement = panic
"""

NOT_DURABLE = """\
# For tests: fast, and lost when the machine stops.
fsync = off
synchronous_commit = off
full_page_writes = off
"""


@dataclass(frozen=True, slots=True)
class Options:
    """How the server is run. `durable` off is for tests: a power cut may lose everything."""

    connections: int = 100
    durable: bool = True


def configure(layout: Layout, account: Account, options: Options) -> None:
    """Write the files; they count when the server starts."""
    socket_dir = str(layout.socket_dir).replace("\\", "\\\\").replace("'", "''")
    conf = CONF.format(socket_dir=socket_dir, connections=options.connections)
    files = {
        "quoth.conf": conf if options.durable else conf + NOT_DURABLE,
        "pg_hba.conf": HBA,
        "pg_ident.conf": "".join(
            f'quoth "{name}" {SUPERUSER}\n' for name in dict.fromkeys(("root", account.name))
        ),
    }
    for name, text in files.items():
        written = account.shell(
            'umask 077; cat >"$1.new" && mv "$1.new" "$1"', layout.cluster / name, typed=text
        )
        if written.returncode:
            raise explain(written.stderr, layout.data_dir)
