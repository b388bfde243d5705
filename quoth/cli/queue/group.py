"""`quoth queue`: lanes and workers as they are; pause, resume, retry, discard."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import click

from quoth.capture.retry_captures import TRIED_AGAIN
from quoth.cli.database import is_missing
from quoth.cli.options import with_settings
from quoth.cli.queue.show import FailedDocument, QueueDocument, failed_text, queue_text
from quoth.cli.running import Failure, Refusal, reach_database, run
from quoth.queue.desk.failed import NoRetry, Retried, Which, discard_failed, retry_failed
from quoth.queue.desk.look import count_failed, list_failed, load_lanes, load_workers
from quoth.queue.desk.views import LONGEST_REASON
from quoth.queue.lanes import pause_lane, resume_lane
from quoth.settings.values import Settings
from quoth.storage import Database, NotFound
from quoth.storage.migrate import migrate

T = TypeVar("T")

JOB = click.IntRange(1, 2**63 - 1)


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
    if len(reason.strip()) > LONGEST_REASON:
        raise Refusal(f"--reason has at most {LONGEST_REASON} characters.")

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
@click.option("--before", type=JOB, help="Only those before the job with this id.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document for programs.")
@with_settings()
def failed(
    settings: Settings, lane: str | None, limit: int, before: int | None, *, as_json: bool
) -> None:
    """List jobs that have failed, the newest first, and why."""

    async def work(database: Database) -> FailedDocument:
        await _find_lane(database, lane)
        async with database.autocommit() as tx:
            # One more than is shown tells whether there are more.
            jobs = await list_failed(tx, lane=lane, limit=limit + 1, before=before)
        page = jobs[:limit]
        return FailedDocument(failed=page, next=page[-1].id if len(jobs) > limit else None)

    document = _on(settings, work)
    click.echo(document.model_dump_json(indent=2) if as_json else failed_text(document))


@queue.command()
@click.argument("ids", nargs=-1, type=JOB)
@click.option("--all", "every", is_flag=True, help="All that have failed.")
@click.option("--lane", help="With --all: only those of this lane.")
@with_settings()
def retry(settings: Settings, ids: tuple[int, ...], lane: str | None, *, every: bool) -> None:
    """Have failed jobs tried again; what was paid for is re-attached first."""
    which = _which(ids, lane, every=every)

    async def work(database: Database) -> Retried:
        await _find_lane(database, lane)
        return await retry_failed(database, TRIED_AGAIN, which)

    retried = _on(settings, work)
    click.echo(f"Tried again: {retried.again}.")
    _refuse_unknown(ids, retried.jobs)


@queue.command()
@click.argument("ids", nargs=-1, type=JOB)
@click.option("--all", "every", is_flag=True, help="All that have failed.")
@click.option("--lane", help="With --all: only those of this lane.")
@with_settings()
def discard(settings: Settings, ids: tuple[int, ...], lane: str | None, *, every: bool) -> None:
    """Forget failed jobs. What their checks say of them stays."""
    which = _which(ids, lane, every=every)

    async def work(database: Database) -> list[int]:
        await _find_lane(database, lane)
        return await discard_failed(database, which)

    gone = _on(settings, work)
    click.echo(f"Forgotten: {len(gone)}.")
    _refuse_unknown(ids, gone)


async def _look(database: Database) -> QueueDocument:
    async with database.autocommit() as tx:
        return QueueDocument(
            lanes=await load_lanes(tx),
            workers=await load_workers(tx),
            failed=await count_failed(tx),
        )


def _which(ids: tuple[int, ...], lane: str | None, *, every: bool) -> Which:
    if every == bool(ids):
        raise Refusal("Name the jobs by their ids (quoth queue failed), or say --all.")
    if ids and lane is not None:
        raise Refusal("--lane goes with --all: an id says which job is meant.")
    return Which(lane=lane) if every else Which(ids)


def _refuse_unknown(ids: tuple[int, ...], found: list[int]) -> None:
    if unknown := [str(each) for each in ids if each not in found]:
        raise Refusal(f"No job with this id has failed: {', '.join(unknown)}")


async def _find_lane(database: Database, lane: str | None) -> None:
    async with database.autocommit() as tx:
        if lane is not None and lane not in [each.name for each in await load_lanes(tx)]:
            raise NotFound(f"lane {lane}")


def _on(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    if is_missing(settings):
        raise Failure(f"There is no database in {settings.data_dir} yet")
    try:
        return run(_reach(settings, work))
    except NotFound as error:
        raise Refusal(f"There is no {error}: quoth queue shows what there is.") from error
    except NoRetry as error:
        raise Refusal(str(error)) from error


async def _reach(settings: Settings, work: Callable[[Database], Awaitable[T]]) -> T:
    async with reach_database(settings) as addresses:
        await migrate(addresses)
        async with Database.open(addresses, connections=2) as database:
            return await work(database)
