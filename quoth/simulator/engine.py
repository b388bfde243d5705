"""What an engine is to the simulator, and what all engines share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.routing import BaseRoute

from quoth.simulator.faults import FaultBook
from quoth.simulator.ledger import Ledger


@dataclass(frozen=True, slots=True)
class World:
    """One simulated world: its luck, its clock and its books."""

    seed: int
    speed: float
    ledger: Ledger
    faults: FaultBook


@dataclass(frozen=True, slots=True)
class Engine:
    """One simulated engine.

    `base` is the path that stands for its API's base URL; `routes` are absolute.
    """

    name: str
    base: str
    routes: Callable[[World], Sequence[BaseRoute]]
