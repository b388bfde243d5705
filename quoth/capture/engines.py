"""Which engines this process can ask, and which it knows of."""

from collections.abc import Mapping
from dataclasses import dataclass

from quoth.providers.contract import Provider


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """An engine by name. `variable` is the environment variable that holds its key."""

    engine: str
    title: str
    variable: str


@dataclass(frozen=True, slots=True)
class Engines:
    """`ready` can be asked here and now; `known` are all that Quoth has an adapter for."""

    ready: Mapping[str, Provider]
    known: Mapping[str, EngineInfo]

    def title(self, engine: str) -> str:
        """What people call the engine."""
        info = self.known.get(engine)
        return info.title if info else engine
