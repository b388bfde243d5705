"""The engines' side: a simulator that writes down each paid call, whatever it answers to it."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from unittest.mock import patch

from quoth.simulator import app
from quoth.simulator.ledger import Ledger, Purchase
from quoth.simulator.serve import Simulator, serve_simulator
from tests.chaos.weather import Weather

# ChatGPT thinks for 0.2 to 0.9 s, Perplexity for 0.1 to 0.4 s.
SPEED = 60.0


@dataclass(slots=True)
class Call:
    """One paid call as it arrived, and what was bought with it, if anything was."""

    engine: str
    prompt: str
    began: float
    purchase: str | None = None


class Books(Ledger):
    """A ledger of purchases that knows with which call each was made."""

    def __init__(self, weather: Weather) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self._weather = weather
        self._answered: ContextVar[Call] = ContextVar("the call that this task answers")

    @contextmanager
    def create_call(self, engine: str) -> Iterator[None]:
        """The prompt is the one whose fault was drawn just now, in the same breath."""
        call = Call(engine, self._weather.arriving, time.time())
        self.calls.append(call)
        self._answered.set(call)
        with super().create_call(engine):
            yield

    def enter(self, purchase: Purchase) -> None:
        """Count it, for its call."""
        super().enter(purchase)
        self._answered.get().purchase = purchase.id


@dataclass(frozen=True, slots=True)
class EngineSide:
    """The simulator, its books and its weather; in this process, which outlives all others."""

    simulator: Simulator
    books: Books
    weather: Weather


@asynccontextmanager
async def engine_side(seed: int) -> AsyncIterator[EngineSide]:
    """Serve it for the block."""
    weather = Weather(seed)
    books = Books(weather)
    serving = serve_simulator(seed=seed, speed=SPEED)
    with (
        patch.object(app, "FaultBook", lambda: weather),
        patch.object(app, "Ledger", lambda _: books),
    ):
        simulator = await serving.__aenter__()
    try:
        yield EngineSide(simulator, books, weather)
    finally:
        await serving.__aexit__(None, None, None)
