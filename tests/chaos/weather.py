"""The engines' faults: drawn anew for each request, so that every kind meets every stage."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from quoth.simulator.chance import dice
from quoth.simulator.faults import FATES, PAGES, REFUSALS, SPOILT, Fault, FaultBook, Stage

# How many requests of each stage meet a fault.
ODDS: Mapping[Stage, float] = {"create": 0.45, "poll": 0.25, "cancel": 0.3}

# A refusal "for now" of the paid call cools the whole lane: a few show all there is to see.
COOLS = ("408", "409", "500", "502", "503", "522", "overloaded")

CREATE: Mapping[str, float] = {
    **dict.fromkeys(COOLS, 0.15), "429": 0.3,
    "400": 1, "401": 0.7, "402": 0.7, "403": 0.7, "404": 0.7, "422": 0.7, "quota": 0.7,
    "504": 3, "520": 2, "524": 2,
    "hang": 3, "reset": 10,
    "truncated": 5, "empty": 4, "html": 3, "malformed": 4, "drip": 20,
    "stuck": 0.7, "slow": 15, "failed": 5, "incomplete": 4, "refusal": 3, "reasoning": 3,
    "model": 2, "nosearch": 4, "nocitations": 4,
}  # fmt: skip

# What is met while waiting ends nothing that was bought, but for what says so in earnest.
POLL: Mapping[str, float] = {
    "429": 3, "500": 3, "502": 3, "503": 3, "504": 3, "520": 2, "522": 2, "524": 2,
    "408": 2, "409": 2, "overloaded": 2, "404": 4,
    "400": 0.5, "401": 0.5, "402": 0.5, "403": 0.5, "422": 0.5, "quota": 0.5,
    "hang": 0.5, "reset": 8, "truncated": 6, "empty": 4, "html": 4, "malformed": 4, "drip": 3,
}  # fmt: skip

CANCEL: Mapping[str, float] = {
    "429": 1, "500": 1, "502": 1, "404": 1, "409": 1, "reset": 2, "hang": 1, "html": 1,
}  # fmt: skip

KINDS: Mapping[Stage, Mapping[str, float]] = {"create": CREATE, "poll": POLL, "cancel": CANCEL}

DETAILS: Mapping[str, Sequence[str | None]] = {
    "stuck": ("in_progress", "queued"),
    "incomplete": (None, "content_filter", "nothing"),
}
# Long enough to be struck in the midst: a paid call whose reply is on its way, and one that is
# known while its worker dies and is found out.
SECONDS: Mapping[Stage, Mapping[str, tuple[float, float]]] = {
    "create": {"slow": (2, 6), "drip": (0.5, 3.5)},
    "poll": {"drip": (0.5, 1.5)},
    "cancel": {},
}


@dataclass(frozen=True, slots=True)
class Met:
    """One request that met a fault."""

    engine: str
    prompt: str
    on: Stage
    kind: str
    at: float


class Weather(FaultBook):
    """A book of faults that nobody plans. `arriving` is the prompt of the latest paid call."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.raging = False
        self.met_by: list[Met] = []
        self.arriving = ""
        self._seed = seed
        self._requests: Counter[tuple[str, str, Stage]] = Counter()

    def meet(self, engine: str, prompt: str, on: Stage) -> Fault | None:
        """The same seed, prompt, stage and number of the request: the same fault or none."""
        if on == "create":
            self.arriving = prompt
        self._requests[engine, prompt, on] += 1
        if not self.raging:
            return None
        luck = dice(self._seed, engine, prompt, on, self._requests[engine, prompt, on])
        if luck.random() > ODDS[on]:
            return None
        fault = draw(luck, on)
        self.met_by.append(Met(engine, prompt, on, fault.kind, time.time()))
        return fault

    def counted(self) -> Counter[str]:
        """How many requests met each kind at each stage."""
        return Counter(f"engine {one.on} {one.kind}" for one in self.met_by)


def draw(luck: Random, on: Stage) -> Fault:
    """One fault of a request at this stage."""
    kinds = KINDS[on]
    [kind] = luck.choices(list(kinds), list(kinds.values()))
    refuses = kind in REFUSALS | PAGES
    # A gateway may have lost a call that the engine took, and a line may break before or after.
    takes = kind in {"504", "520", "524", "reset", "hang"} and luck.random() < 0.5
    return Fault(
        kind,
        on,
        bought=kind in SPOILT or (takes and kind not in FATES),
        after=round(luck.uniform(0.1, 0.4), 2) if refuses else None,
        seconds=round(luck.uniform(*SECONDS[on][kind]), 2) if kind in SECONDS[on] else None,
        detail=luck.choice(DETAILS.get(kind, (None,))),
    )
