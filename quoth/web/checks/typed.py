"""What a person typed into the form, as it was typed, and the check that it asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from quoth.capture.new_check import BadCheck, NewBrand, NewCheck, NewPrompt
from quoth.web.forms import Form
from quoth.web.words import Language

# Where most prompts in a language are asked, until somebody says otherwise.
COUNTRIES: dict[Language, str] = {"en": "US", "ru": "RU"}


@dataclass(frozen=True, slots=True)
class Typed:
    """The fields of the form. `key` was made with the form: a form makes one check."""

    key: str
    brand: str = ""
    aliases: str = ""
    domains: str = ""
    competitors: str = ""
    prompts: str = ""
    language: str = "en"
    country: str = "US"
    engines: tuple[str, ...] = ()
    samples: str = "1"

    @classmethod
    def of(cls, form: Form) -> "Typed":
        """Take the fields of a form that was sent."""
        return cls(
            key=form.one("key"),
            brand=form.one("brand"),
            aliases=form.one("aliases"),
            domains=form.one("domains"),
            competitors=form.one("competitors"),
            prompts=form.one("prompts"),
            language=form.one("language"),
            country=form.one("country"),
            engines=form.all("engines"),
            samples=form.one("samples"),
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The prompts, each once."""
        return tuple(dict.fromkeys(_lines(self.prompts)))

    @property
    def calls(self) -> int:
        """How many calls it comes to, as far as it can be told."""
        samples = self.samples.strip()
        times = int(samples) if samples.isdecimal() and len(samples) < 5 else 0
        return len(self.lines) * len(set(self.engines)) * times

    def check(self) -> NewCheck:
        """Return the check that is asked for. Raises `BadCheck` where it can be none."""
        return NewCheck(
            brand=NewBrand(self.brand, _parts(self.aliases), _parts(self.domains)),
            competitors=tuple(_competitor(line) for line in _lines(self.competitors)),
            prompts=tuple(NewPrompt(line, self.language, self.country) for line in self.lines),
            engines=self.engines,
            samples=self._samples(),
            started_by="page",
            idempotency_key=self.key or None,
        )

    def _samples(self) -> int:
        try:
            return int(self.samples)
        except ValueError as error:
            raise BadCheck("samples", "samples go from 1 to 100, not this") from error


def _competitor(line: str) -> NewBrand:
    """A line is a competitor's name, then its other names after commas."""
    name, *aliases = _parts(line) or ("",)
    return NewBrand(name, tuple(aliases))


def _lines(text: str) -> Sequence[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.replace("\n", ",").split(",") if part.strip())
