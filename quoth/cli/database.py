"""`quoth database`: what the database is, bringing it up to date, and a copy of it."""

from pathlib import Path

import click

from quoth.cli.options import with_settings
from quoth.cli.running import Failure, reach_database, run
from quoth.settings.values import Settings
from quoth.storage.dump import dump as write_dump
from quoth.storage.embedded.create import is_created
from quoth.storage.embedded.errors import EmbeddedServerError
from quoth.storage.embedded.layout import Layout
from quoth.storage.migrate import DatabaseStatus, Migrated, database_status
from quoth.storage.migrate import migrate as apply_migrations


@click.group()
def database() -> None:
    """Look at, migrate and dump the database."""


@database.command()
@with_settings()
def status(settings: Settings) -> None:
    """Say which PostgreSQL it is, and whether its schema fits this version. Changes nothing."""
    if is_missing(settings):
        click.echo(f"There is no database in {settings.data_dir} yet: the first start makes one.")
        return
    found = run(_status(settings))
    where = "the embedded one" if settings.database_url is None else "QUOTH_DATABASE_URL"
    click.echo(f"PostgreSQL {found.server} ({where})")
    click.echo(f"Schema {found.version or 'none yet'}; this version of Quoth knows {found.known}")
    for migration in found.pending:
        click.echo(f"Pending: {migration}")


@database.command()
@with_settings()
def migrate(settings: Settings) -> None:
    """Apply what is pending; every start does the same.

    The embedded database is dumped first, into `backups` in the data directory.
    """
    done = run(_migrate(settings))
    for migration in done.applied:
        click.echo(f"Applied: {migration}")
    if done.backup is not None:
        click.echo(f"Dumped before: {done.backup}")
    if not done.applied:
        click.echo("Nothing is pending.")


@database.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@with_settings()
def dump(settings: Settings, file: Path) -> None:
    """Write the whole database to FILE, in PostgreSQL's own format (pg_restore reads it)."""
    if is_missing(settings):
        raise Failure(f"There is no database in {settings.data_dir} yet")
    if file.exists():
        raise Failure(f"{file} is there already: name another file")
    run(_dump(settings, file))
    click.echo(f"Dumped to {file} ({file.stat().st_size:,} bytes)")


def is_missing(settings: Settings) -> bool:
    """Whether the embedded database is still to be made; looking must not make it."""
    try:
        return settings.database_url is None and not is_created(Layout(settings.data_dir))
    except EmbeddedServerError as error:
        raise Failure(str(error)) from error


async def _status(settings: Settings) -> DatabaseStatus:
    async with reach_database(settings) as addresses:
        return await database_status(addresses)


async def _migrate(settings: Settings) -> Migrated:
    embedded = settings.database_url is None
    backups = Layout(settings.data_dir).backups if embedded else None
    async with reach_database(settings) as addresses:
        return await apply_migrations(addresses, backups=backups)


async def _dump(settings: Settings, file: Path) -> None:
    async with reach_database(settings) as addresses:
        await write_dump(addresses.session, file)
