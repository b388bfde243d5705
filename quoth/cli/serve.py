"""`quoth serve` and `quoth work`: the two long-lived processes."""

import click

from quoth.app.run import serve as serve_until_told
from quoth.app.run import work as work_until_told
from quoth.cli.options import with_settings
from quoth.cli.running import run
from quoth.settings.values import Settings


@click.command()
@with_settings("listen", "pool", "drain", "log_format", "log_level")
def serve(settings: Settings) -> None:
    """Serve pages and API, and work on what waits.

    Without QUOTH_DATABASE_URL the database is an embedded PostgreSQL in the data directory. Any
    number of processes may serve or work on one database. SIGTERM or Ctrl-C: running calls may
    end, what waits stays in the database.
    """
    run(serve_until_told(settings, demo=False, announce=click.echo))


@click.command()
@with_settings("pool", "drain", "log_format", "log_level")
def work(settings: Settings) -> None:
    """Only work on what waits, without pages and API.

    Start as many as you like, wherever the database is reached (QUOTH_DATABASE_URL).
    """
    run(work_until_told(settings))
