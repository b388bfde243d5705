"""What every system must provide to be measured; read in its environment as in ours."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Producer(Protocol):
    """Enqueues jobs that run one of `bench.queue.bodies` with the number they are given."""

    async def one(self, body: str, number: int) -> None:
        """Return once the job is committed."""
        ...

    async def many(self, body: str, count: int) -> None:
        """Enqueue `count` jobs by the fastest public call; return once all are committed."""
        ...


class Adapter(Protocol):
    """A module with these four."""

    # True while a job has not ended.
    UNFINISHED: str

    async def setup(self, url: str) -> None:
        """Make the schema, and what else is made once."""
        ...

    def producer(self, url: str) -> AbstractAsyncContextManager[Producer]:
        """Connect as whoever enqueues does."""
        ...

    async def work(self, url: str, concurrency: int) -> None:
        """Work with at most so many jobs at once until killed."""
        ...
