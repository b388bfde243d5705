"""What a check is asked to be, and why it may be turned down before anything is written."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from quoth.brands.brand import BadBrand, Brand, folded
from quoth.brands.keep_brands import GivenBrand
from quoth.capture.engines import Engines
from quoth.capture.prompts import BadPrompt, PromptText, clean_prompt

StartedBy = Literal["page", "api", "command", "schedule"]

MOST_CAPTURES = 10_000
MOST_SAMPLES = 100
MOST_COMPETITORS = 50
MOST_NAMES = 100
LONGEST_KEY = 255


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


@dataclass(frozen=True, slots=True)
class ValidCheck:
    """A check that can be started: all clean, nothing twice, every engine ready."""

    brand: GivenBrand
    competitors: tuple[GivenBrand, ...]
    prompts: tuple[PromptText, ...]
    engines: tuple[str, ...]
    samples: int

    @property
    def digest(self) -> bytes:
        """The same for two requests that ask for the same thing."""
        asked = [
            [[each.name, each.aliases, each.domains] for each in (self.brand, *self.competitors)],
            [[each.text, each.language, each.country] for each in self.prompts],
            self.engines,
            self.samples,
        ]
        return hashlib.sha256(json.dumps(asked, ensure_ascii=False).encode()).digest()


def validate(new: NewCheck, engines: Engines) -> ValidCheck:
    """Return the check as it will be started. Raises `BadCheck` or `EngineNotReady`.

    A prompt, an engine or a competitor given twice counts once.
    """
    brand = _brand("brand", new.brand)
    valid = ValidCheck(
        brand=brand,
        competitors=_competitors(brand, new.competitors),
        prompts=_prompts(new),
        engines=_engines(new.engines, engines),
        samples=new.samples,
    )
    if not 1 <= valid.samples <= MOST_SAMPLES:
        raise BadCheck("samples", f"samples go from 1 to {MOST_SAMPLES}, not {valid.samples}")
    captures = len(valid.prompts) * len(valid.engines) * valid.samples
    if captures > MOST_CAPTURES:
        raise BadCheck(
            "prompts",
            f"prompts x engines x samples come to {captures:,}; a check has at most "
            f"{MOST_CAPTURES:,} captures",
        )
    _check_key(new.idempotency_key)
    return valid


def _brand(field: str, new: NewBrand) -> GivenBrand:
    try:
        brand = GivenBrand(new.name, new.aliases, new.domains).cleaned()
    except BadBrand as error:
        raise BadCheck(field, str(error)) from error
    if len(brand.aliases) > MOST_NAMES or len(brand.domains) > MOST_NAMES:
        raise BadCheck(field, f"{brand.name} has more than {MOST_NAMES} other names or domains")
    return brand


def _competitors(brand: GivenBrand, new: Sequence[NewBrand]) -> tuple[GivenBrand, ...]:
    by_name: dict[str, GivenBrand] = {}
    for competitor in (_brand("competitors", given) for given in new):
        key = folded(competitor.name)
        if known := by_name.get(key):
            competitor = GivenBrand(
                known.name,
                (*known.aliases, *competitor.aliases),
                (*known.domains, *competitor.domains),
            ).cleaned()
        by_name[key] = competitor
    if len(by_name) > MOST_COMPETITORS:
        raise BadCheck("competitors", f"a check has at most {MOST_COMPETITORS} competitors")
    refuse_shared_names((brand, *by_name.values()))
    return tuple(by_name.values())


def refuse_shared_names(brands: Sequence[GivenBrand | Brand]) -> None:
    """A name that is two brands' would be counted for both: raises `BadCheck`."""
    owners: dict[str, GivenBrand | Brand] = {}
    for brand in brands:
        for name in (brand.name, *brand.aliases):
            owner = owners.setdefault(folded(name), brand)
            if owner is brand:
                continue
            if folded(owner.name) == folded(brand.name):
                raise BadCheck("competitors", f"{brand.name} cannot be its own competitor")
            raise BadCheck("competitors", f"{name} is a name of both {owner.name} and {brand.name}")


def _prompts(new: NewCheck) -> tuple[PromptText, ...]:
    if not new.prompts:
        raise BadCheck("prompts", "a check needs at least one prompt")
    prompts: dict[PromptText, None] = {}
    for number, prompt in enumerate(new.prompts, start=1):
        try:
            prompts[clean_prompt(prompt.text, prompt.language, prompt.country)] = None
        except BadPrompt as error:
            which = f"prompt {number}: " if len(new.prompts) > 1 else ""
            raise BadCheck("prompts", f"{which}{error}") from error
    return tuple(prompts)


def _engines(names: Sequence[str], engines: Engines) -> tuple[str, ...]:
    if not names:
        raise BadCheck("engines", "a check needs at least one engine")
    for name in names:
        if name in engines.ready:
            continue
        if info := engines.known.get(name):
            raise EngineNotReady(name, info.variable)
        known = ", ".join(sorted(engines.known))
        raise BadCheck("engines", f"there is no engine {name!r}; there are {known}")
    return tuple(dict.fromkeys(names))


def _check_key(key: str | None) -> None:
    if key is None:
        return
    if not 1 <= len(key) <= LONGEST_KEY:
        raise BadCheck("idempotency_key", f"an Idempotency-Key has 1 to {LONGEST_KEY} characters")
    if not (key.isascii() and key.isprintable()):
        raise BadCheck("idempotency_key", "an Idempotency-Key is printable ASCII")
