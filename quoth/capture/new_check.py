"""What a check is asked to be, and why it may be turned down before anything is written."""

from dataclasses import dataclass
from typing import Literal

StartedBy = Literal["page", "api", "command", "schedule"]

MOST_CAPTURES = 10_000
MOST_SAMPLES = 100


@dataclass(frozen=True, slots=True)
class NewBrand:
    """A brand by name; found or made. Aliases and domains given here are added to it."""

    name: str
    aliases: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewPrompt:
    """A question; the same text, language and country again is the same prompt."""

    text: str
    language: str = "ru"
    country: str = "RU"


@dataclass(frozen=True, slots=True)
class NewCheck:
    """Prompts x engines x samples about one brand and its competitors."""

    brand: NewBrand
    competitors: tuple[NewBrand, ...]
    prompts: tuple[NewPrompt, ...]
    engines: tuple[str, ...]
    samples: int = 1
    started_by: StartedBy = "page"
    idempotency_key: str | None = None


class BadCheck(ValueError):
    """The check cannot be started as it is: `field` names where, the text says what to do."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class EngineNotReady(BadCheck):
    """The engine is known but has no key in this installation."""

    def __init__(self, engine: str, variable: str) -> None:
        super().__init__(
            "engines",
            f"{engine} has no key: set {variable}, or start with --demo to ask the built-in "
            "simulator",
        )


class IdempotencyConflict(Exception):
    """The same Idempotency-Key came before with another body."""
