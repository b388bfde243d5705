"""The browser meets the same processes as the journeys."""

from tests.journeys.conftest import compiled, processes

__all__ = ["compiled", "processes"]
