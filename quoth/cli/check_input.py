"""What was typed becomes a check, or a sentence that says what is wrong with it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from quoth.capture.new_check import EngineNotReady, NewBrand, NewCheck, NewPrompt
from quoth.cli.running import Refusal
from quoth.providers.registry import ADAPTERS
from quoth.settings.catalogue import of_engine
from quoth.settings.values import EngineSettings

CYRILLIC = re.compile(r"[\u0400-\u04ff]")
STDIN = Path("-")


@dataclass(frozen=True, slots=True)
class Typed:
    """The options of `quoth check` that say what is asked."""

    prompts: tuple[str, ...]
    file: Path | None
    brand: str | None
    aliases: tuple[str, ...]
    domains: tuple[str, ...]
    competitors: tuple[str, ...]
    engines: tuple[str, ...]
    samples: int
    language: str | None
    country: str | None
    idempotency_key: str | None

    @property
    def anything(self) -> bool:
        """Whether a new check was described at all."""
        return bool(self.prompts or self.file or self.brand or self.competitors or self.engines)


def new_check(
    typed: Typed, settings: Mapping[str, EngineSettings], *, demo: bool, stdin: TextIO
) -> NewCheck:
    """Return the check; raises `Refusal`. Nothing has been opened or written before."""
    if not typed.brand:
        raise Refusal("Say which brand is watched: --brand NAME.")
    texts = (*typed.prompts, *_lines(typed.file, stdin))
    if not texts:
        raise Refusal("Give at least one prompt, as an argument or with --file.")
    return NewCheck(
        brand=NewBrand(typed.brand, typed.aliases, typed.domains),
        competitors=tuple(NewBrand(name) for name in typed.competitors),
        prompts=tuple(_prompt(text, typed.language, typed.country) for text in texts),
        engines=_engines(typed.engines, settings, demo=demo),
        samples=typed.samples,
        started_by="command",
        idempotency_key=typed.idempotency_key,
    )


def _prompt(text: str, language: str | None, country: str | None) -> NewPrompt:
    """A prompt in Cyrillic is a Russian one asked in Russia, unless it is said otherwise."""
    russian = bool(CYRILLIC.search(text))
    return NewPrompt(
        text,
        language.lower() if language else ("ru" if russian else "en"),
        country.upper() if country else ("RU" if russian else "US"),
    )


def _lines(file: Path | None, stdin: TextIO) -> list[str]:
    if file is None:
        return []
    try:
        text = stdin.read() if file == STDIN else file.read_text("utf-8-sig")
    except OSError as error:
        raise Refusal(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{file} is not UTF-8 text.") from error
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def _engines(
    asked: Sequence[str], settings: Mapping[str, EngineSettings], *, demo: bool
) -> tuple[str, ...]:
    """The engines that were named, else all that can be asked."""
    for engine in asked:
        if engine not in ADAPTERS:
            raise Refusal(f"There is no engine {engine!r}; there are {', '.join(ADAPTERS)}.")
        if not demo and settings[engine].api_key is None:
            # The capture room says the same, but only once a database is open.
            raise Refusal(str(EngineNotReady(engine, of_engine(engine).api_key.variable)))
    if asked:
        return tuple(asked)
    ready = tuple(name for name in ADAPTERS if demo or settings[name].api_key is not None)
    if not ready:
        variables = " or ".join(of_engine(name).api_key.variable for name in ADAPTERS)
        raise Refusal(
            f"No engine has a key: set {variables}, or add --demo to ask the built-in simulator."
        )
    return ready
