"""`quoth queue`: lanes and workers as they are; pause, resume, retry, discard."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import click

from quoth.capture.retry_captures import TRIED_AGAIN
from quoth.cli.database import is_missing
from quoth.cli.options import with_settings
from quoth.cli.queue.show import QueueDocument, failed_text, queue_text
from quoth.cli.running import Failure, Refusal, reach_database, run
from quoth.queue.desk.failed import discard_failed, retry_failed
from quoth.queue.desk.look import count_failed, list_failed, load_lanes, load_workers
from quoth.queue.desk.views import FailedJob
from quoth.queue.lanes import pause_lane, resume_lane
from quoth.settings.values import Settings
from quoth.storage import Database, NotFound
from quoth.storage.migrate import migrate

T = TypeVar("T")


@click.group(invoke_without_command=True)
@click.pass_context
@click.option("--json", "as_json", is_flag=True, help="One JSON document for programs.")
@with_settings()
def queue(settings: Settings, context: click.Context, *, as_json: bool) -> None:
    """Show lanes and workers, or do something with them."""
    if context.invoked_subcommand is not None:
        return
    document = _on(settings, _look)
    click.echo(document.model_dump_json(indent=2) if as_json else queue_text(document))


@queue.command()
@click.argument("lane")
@click.option("--reason", required=True, help="Shown wherever the lane's jobs wait.")
@with_settings()
def pause(settings: Settings, lane: str, reason: str) -> None:
    """Start no more calls in LANE; those that are out go on."""
    if not reason.strip():
        raise Refusal("Say why: --reason is shown wherever the lane's jobs wait.")

    async def work(database: Database) -> None:
        async with database.transaction() as tx:
            await pause_lane(tx, lane, reason.strip())

    _on(settings, work)
    click.echo(f"{lane} is paused.")


@queue.command()
@click.argument("lane")
@with_settings()
def resume(settings: Settings, lane: str) -> None:
    """Let calls start in LANE again, after a pause or in a cool-down."""

    async def work(database: Database) -> None:
        async with database.transaction() as tx:
            await resume_lane(tx, lane)

    _on(settings, work)
    click.echo(f"{lane} is open.")


@queue.command()
@click.option("--lane", help="Only those of this lane.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@with_settings()
def failed(settings: Settings, lane: str | None, limit: int) -> None:
    """List jobs that have failed, the newest first, and why."""

    async def work(database: Database) -> list[FailedJob]:
        async with database.autocommit() as tx:
            return await list_failed(tx, lane=lane, limit=limit)

    click.echo(failed_text(_on(settings, work)))


@queue.command()
@click.argument("ids", nargs=-1, type=click.IntRange(1))
@click.option("--all", "every", is_flag=True, help="All that have failed.")
@with_settings()
def retry(settings: Settings, ids: tuple[int, ...], *, every: bool) -> None:
    """Have failed jobs tried again; what was paid for is re-attached first."""
    which = _which(ids, every=every)

    async def work(database: Database) -> int:
        return await retry_failed(database, TRIED_AGAIN, which)

    click.echo(f"Tried again: {_on(settings, work)}.")


@queue.command()
@click.argument("ids", nargs=-1, type=click.IntRange(1))
@click.option("--all", "every", is_flag=True, help="All that have failed.")
@with_settings()
def discard(settings: Settings, ids: tuple[int, ...], *, every: bool) -> None:
    """Forget failed jobs. What their checks say of them stays."""
    which = _which(ids, every=every)

    async def work(database: Database) -> list[int]:
        return await discard_failed(database, which)

    click.echo(f"Forgotten: {len(_on(settings, work))}.")


async def _look(database: Database) -> QueueDocument:
    async with database.autocommit() as tx:
        return QueueDocument(
            lanes=await load_lanes(tx),
            workers=await load_workers(tx),
            failed=await count_failed(tx),
        )


def _which(ids: tuple[int, ...], *, every: bool) -> list[int] | None:
    if every == bool(ids):
        raise Refusal("Name the jobs by their ids (quoth queue failed), or say --all.")
    return None if every else list(ids)


def _on(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    if is_missing(settings):
        raise Failure(f"There is no database in {settings.data_dir} yet")
    try:
        return run(_reach(settings, work))
    except NotFound as error:
        raise Refusal(f"There is no {error}: quoth queue shows what there is.") from error


async def _reach(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    async with reach_database(settings) as addresses:
        await migrate(addresses)
        async with Database.open(addresses, connections=2) as database:
            return await work(database)
