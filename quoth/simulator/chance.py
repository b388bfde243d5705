"""Dice that can be thrown again."""

from dataclasses import dataclass
from hashlib import blake2b
from math import log
from random import Random


def dice(*seeds: object) -> Random:
    """Return dice that fall the same way for the same seeds, in every process."""
    key = "\x1f".join(str(seed) for seed in seeds).encode("utf-8", "surrogatepass")
    return Random(int.from_bytes(blake2b(key, digest_size=8).digest()))  # noqa: S311


def happens(luck: Random, odds: float) -> bool:
    """Throw once: True with the probability `odds`."""
    return luck.random() < odds


@dataclass(frozen=True, slots=True)
class Latency:
    """How long an engine thinks: nineteen answers in twenty between `low` and `high` seconds."""

    low: float
    high: float
    longest_queue: float

    def draw(self, luck: Random, *, speed: float) -> tuple[float, float]:
        """Return the seconds in the engine's queue and the seconds in all."""
        middle = (log(self.low) + log(self.high)) / 2
        spread = (log(self.high) - log(self.low)) / 4
        thinking = luck.lognormvariate(middle, spread)
        queued = luck.uniform(0.1, self.longest_queue)
        return queued / speed, (queued + thinking) / speed
