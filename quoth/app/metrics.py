"""`GET /metrics`: the queue for Prometheus, from the same rows as the page and the command."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from quoth.queue.desk.look import count_failed, load_lanes, load_pressure, load_workers
from quoth.queue.desk.views import LaneView, Pressure, WorkerView
from quoth.storage import Database, DatabaseUnavailable


@dataclass(frozen=True, slots=True, eq=False)
class Seen(Collector):
    """The queue at one moment, as metrics."""

    lanes: Sequence[LaneView]
    workers: Sequence[WorkerView]
    failed: int
    pressure: Pressure

    def collect(self) -> Iterator[Metric]:
        """Every figure, a lane each where it has one."""
        now = datetime.now(UTC)
        yield self._of_lanes("slots", "Calls that may be out at once.", lambda lane: lane.slots)
        yield self._of_lanes("width", "Places given for now, after a cool-down.", lambda x: x.width)
        yield self._of_lanes("in_flight", "Places taken.", lambda lane: lane.in_flight)
        yield self._of_lanes("pending", "Jobs whose turn has not come.", lambda lane: lane.pending)
        yield self._of_lanes("waiting", "Jobs that are due later.", lambda lane: lane.waiting)
        yield self._of_lanes(
            "next_age_seconds",
            "How long the job whose turn is next has been due.",
            lambda lane: (now - lane.next_since).total_seconds() if lane.next_since else 0,
        )
        yield self._of_lanes(
            "ended_last_minute", "Jobs done or failed within a minute.", lambda lane: lane.lately
        )
        yield self._of_lanes(
            "open",
            "1 while calls may start: neither paused nor cooling down.",
            lambda lane: lane.paused_since is None and lane.cooling_until is None,
        )
        yield self._of_lanes(
            "cooling", "1 while the lane cools down.", lambda lane: lane.cooling_until is not None
        )
        yield self._of_lanes(
            "paused", "1 while a person has paused it.", lambda lane: lane.paused_since is not None
        )
        yield self._of_lanes("workers", "Living workers that serve it.", lambda lane: lane.workers)
        alive = sum(worker.alive for worker in self.workers)
        yield GaugeMetricFamily("quoth_workers_alive", "Workers that beat.", alive)
        gone = len(self.workers) - alive
        yield GaugeMetricFamily("quoth_workers_silent", "Workers gone without a word.", gone)
        yield GaugeMetricFamily("quoth_jobs_failed", "Jobs that have failed.", self.failed)
        yield GaugeMetricFamily(
            "quoth_postgres_notify_queue_usage",
            "How full the server's queue of notices is (0 to 1).",
            self.pressure.notices,
        )
        yield GaugeMetricFamily(
            "quoth_postgres_oldest_snapshot_seconds",
            "Age of the oldest snapshot that a session holds.",
            self.pressure.oldest_snapshot,
        )

    def _of_lanes(
        self, name: str, says: str, value: Callable[[LaneView], float]
    ) -> GaugeMetricFamily:
        metric = GaugeMetricFamily(f"quoth_lane_{name}", says, labels=["lane"])
        for lane in self.lanes:
            metric.add_metric([lane.name], value(lane))
        return metric


def metrics_of(database: Database) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint, for one database."""

    async def metrics(_: Request) -> Response:
        try:
            async with database.autocommit() as tx:
                seen = Seen(
                    await load_lanes(tx),
                    await load_workers(tx),
                    await count_failed(tx),
                    await load_pressure(tx),
                )
        except DatabaseUnavailable:
            return PlainTextResponse("the database is away\n", 503, {"retry-after": "5"})
        # Of its own: what the process says of itself elsewhere is nobody's business here.
        registry = CollectorRegistry(auto_describe=False)
        registry.register(seen)
        headers = {"cache-control": "no-store"}
        return Response(generate_latest(registry), 200, headers, CONTENT_TYPE_LATEST)

    return metrics
