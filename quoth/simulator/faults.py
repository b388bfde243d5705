"""Faults on request: what they are, how a prompt or the control endpoint asks for them."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, get_args

Stage = Literal["create", "poll", "cancel"]

# In place of a reply: an error of the engine, or a page of the CDN before it (`502` and its like).
REFUSALS = frozenset(
    {"400", "401", "402", "403", "404", "408", "409", "422", "429", "quota", "overloaded", "500"}
)
PAGES = frozenset({"502", "503", "504", "520", "522", "524"})
# What becomes of a reply on the wire.
SILENT = frozenset({"hang", "reset"})
SPOILT = frozenset({"truncated", "empty", "html", "malformed", "drip"})
# What becomes of the job itself; the wire is well.
FATES = frozenset(
    {
        "stuck", "failed", "incomplete", "refusal", "reasoning", "model", "nosearch",
        "nocitations", "slow",
    }
)  # fmt: skip
KINDS = REFUSALS | PAGES | SILENT | SPOILT | FATES

_MARKER = re.compile(r"\s*\[\[fault:([\w-]*)((?:\s+\w+=[^\s\]]+)*)\s*\]\]")


class BadFault(ValueError):
    """Nobody knows such a fault."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: `times` requests meet it (None: all), after the first `skip` passed unharmed.

    `bought` says whether the job is counted as bought although its reply is spoilt. `after` is
    the Retry-After of a refusal, `seconds` how long a slow thing takes (not divided by the speed
    factor), `detail` the code, reason, model or state that the kind speaks of.
    """

    kind: str
    on: Stage = "create"
    times: int | None = 1
    skip: int = 0
    bought: bool = False
    after: float | None = None
    seconds: float | None = None
    detail: str | None = None
    engine: str | None = None
    match: str | None = None

    @property
    def is_fate(self) -> bool:
        """Whether it happens to the job and not to a reply."""
        return self.kind in FATES

    def concerns(self, engine: str, prompt: str, on: Stage) -> bool:
        """Whether such a request can meet it."""
        return (
            self.on == on
            and self.engine in (None, engine)
            and (self.match is None or self.match.casefold() in prompt.casefold())
        )


def make_fault(given: Mapping[str, object]) -> Fault:
    """Return the fault that `given` describes, in words or in JSON. Raises `BadFault`."""
    unknown = set(given) - set(Fault.__dataclass_fields__)
    if unknown:
        raise BadFault(f"unknown: {', '.join(sorted(unknown))}")
    kind, on = str(given.get("kind")), str(given.get("on", "create"))
    if kind not in KINDS:
        raise BadFault(f"no fault {kind!r}; there are {', '.join(sorted(KINDS))}")
    stage: Stage | None = next((name for name in get_args(Stage) if name == on), None)
    if stage is None or (kind in FATES and stage != "create"):
        raise BadFault(f"{kind!r} cannot happen on {on!r}")
    times = given.get("times", 1)
    return Fault(
        kind,
        stage,
        times=None if times in (None, "all") else int(_number(times)),
        skip=int(_number(given.get("skip", 0))),
        bought=_truth(given.get("bought", kind in SPOILT)),
        after=_number(given["after"]) if given.get("after") is not None else None,
        seconds=_number(given["seconds"]) if given.get("seconds") is not None else None,
        detail=_word(given.get("detail")),
        engine=_word(given.get("engine")),
        match=_word(given.get("match")),
    )


def _number(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        raise BadFault(f"{value!r} is no number") from None
    if not 0 <= number < 1e9:
        raise BadFault(f"{value!r} is out of range")
    return number


def _truth(value: object) -> bool:
    if value in (True, "yes", "true", "1"):
        return True
    if value in (False, "no", "false", "0"):
        return False
    raise BadFault(f"{value!r} is neither yes nor no")


def _word(value: object) -> str | None:
    return None if value is None else str(value)


@lru_cache(maxsize=4096)
def markers(prompt: str) -> tuple[str, tuple[Fault, ...]]:
    """Return the prompt without its `[[fault:...]]` markers, and what they ask for."""
    if "[[fault:" not in prompt:
        return prompt, ()
    faults = [
        make_fault({"kind": kind, **dict(pair.split("=", 1) for pair in options.split())})
        for kind, options in _MARKER.findall(prompt)
    ]
    return _MARKER.sub("", prompt).strip(), tuple(faults)


@dataclass(slots=True)
class FaultBook:
    """The faults that wait for a request to meet them, each with how often it was met."""

    _rules: list[Fault] = field(default_factory=list)
    _met: Counter[object] = field(default_factory=Counter)

    def add(self, fault: Fault) -> None:
        """Let requests meet `fault` from now on."""
        self._rules.append(fault)

    def clear(self) -> None:
        """Forget all faults and counts."""
        self._rules.clear()
        self._met.clear()

    def rules(self) -> list[tuple[Fault, int]]:
        """Return what was added, each with how many requests it concerned so far."""
        return [(rule, self._met[number]) for number, rule in enumerate(self._rules)]

    def meet(self, engine: str, prompt: str, on: Stage) -> Fault | None:
        """Return the fault that this request meets. A marker in its prompt goes before a rule."""
        for number, fault in enumerate(markers(prompt)[1]):
            if self._meets((engine, prompt, number), fault, engine, prompt, on):
                return fault
        for number, fault in enumerate(self._rules):
            if self._meets(number, fault, engine, prompt, on):
                return fault
        return None

    def _meets(self, key: object, fault: Fault, engine: str, prompt: str, on: Stage) -> bool:
        if not fault.concerns(engine, prompt, on):
            return False
        met = self._met[key]
        self._met[key] = met + 1
        return met >= fault.skip and (fault.times is None or met < fault.skip + fault.times)
