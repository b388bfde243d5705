"""The queue as a table for people and as a document for programs."""

from datetime import UTC
from io import StringIO

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from quoth.queue.desk.views import (
    MANY,
    MANY_A_MINUTE,
    FailedJob,
    LaneView,
    WorkerView,
)


class Document(BaseModel):
    """For programs; durations in seconds. Additions may come, names and meanings stay."""

    model_config = ConfigDict(ser_json_timedelta="float")


class QueueDocument(Document):
    """Lanes, workers, and how many jobs have failed."""

    lanes: list[LaneView]
    workers: list[WorkerView]
    failed: int


class FailedDocument(Document):
    """The newest failed jobs first; `next` goes on from there (`--before`), if there are more."""

    failed: list[FailedJob]
    next: int | None


def queue_text(queue: QueueDocument) -> str:
    """Lanes, workers, and how many jobs have failed."""
    lanes = _table("Lane", "Out", "Pending", "Waiting", "Last minute", "Workers", "State")
    for lane in queue.lanes:
        lanes.add_row(
            lane.name,
            f"{lane.in_flight} of {lane.slots}",
            _many(lane.pending),
            _many(lane.waiting),
            _many(lane.lately, MANY_A_MINUTE),
            str(lane.workers),
            _state(lane),
        )
    workers = _table("Worker", "Version", "Jobs", "Last beat", "Lanes")
    for worker in queue.workers:
        ago = f"{worker.silent.total_seconds():.0f} s ago"
        workers.add_row(
            f"{worker.host} {worker.pid}",
            worker.version,
            str(worker.jobs),
            ago if worker.alive else f"{ago}: gone",
            ", ".join(worker.lanes),
        )
    shown = [lanes if queue.lanes else "No lanes yet: a start with an engine makes them."]
    shown += [workers if queue.workers else "Nobody works: quoth serve or quoth work."]
    shown += [f"Failed: {_many(queue.failed)}" + (" (quoth queue failed)" if queue.failed else "")]
    return _rendered(*shown)


def failed_text(document: FailedDocument) -> str:
    """The failed jobs, one a row."""
    if not document.failed:
        return "No job has failed."
    table = _table("Job", "Lane", "Key", "Tries", "Failed at (UTC)", "Why")
    for job in document.failed:
        table.add_row(
            str(job.id),
            job.lane,
            job.key,
            str(job.tries),
            f"{job.ended_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
            job.reason or "",
        )
    more = f"There are more: quoth queue failed --before {document.next}"
    return _rendered(table, more) if document.next else _rendered(table)


def _state(lane: LaneView) -> str:
    if lane.paused_since is not None:
        return f"paused: {lane.reason}"
    if lane.cooling_until is not None:
        return f"cools down until {lane.cooling_until.astimezone(UTC):%H:%M:%S} UTC: {lane.reason}"
    if lane.width < lane.slots:
        return f"opens up, {lane.width} of {lane.slots} places: {lane.reason}"
    return "open" if lane.workers else "open, but nobody works on it"


def _many(count: int, most: int = MANY) -> str:
    return f"{most:,} or more" if count >= most else f"{count:,}"


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column(name, overflow="fold")
    return table


def _rendered(*parts: Table | str) -> str:
    written = StringIO()
    console = Console(file=written, width=120)
    for number, part in enumerate(parts):
        if number:
            console.print()
        console.print(part, markup=False, highlight=False)
    return written.getvalue().rstrip("\n")
