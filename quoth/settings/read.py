"""Read all settings once, at the start of a process."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from quoth.settings import catalogue
from quoth.settings.catalogue import NO_DIRECT_WAY, OF_THE_PROCESS, of_engine
from quoth.settings.setting import BadSettings, Setting
from quoth.settings.sources import Sources, open_sources
from quoth.settings.values import EngineSettings, Line, Settings

T = TypeVar("T")


def read_settings(
    engines: Sequence[str],
    *,
    environment: Mapping[str, str],
    flags: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Settings:
    """Return the settings of this process and of each of `engines`.

    `flags` are the command line's, by the settings' names; `file` is `--config`. Raises
    `BadSettings` for what is unknown, wrong, or cannot go together.
    """
    known = [*OF_THE_PROCESS, *(each for engine in engines for each in of_engine(engine).all)]
    sources = open_sources(known, flags=flags or {}, environment=environment, file=file)
    database_url = _maybe(sources, catalogue.DATABASE_URL)
    return Settings(
        data_dir=_must(sources, catalogue.DATA_DIR),
        database_url=database_url,
        database_direct_url=_direct(database_url, _maybe(sources, catalogue.DATABASE_DIRECT_URL)),
        listen=_must(sources, catalogue.LISTEN),
        access_token=_maybe(sources, catalogue.ACCESS_TOKEN),
        hosts=_maybe(sources, catalogue.HOSTS) or (),
        pool=_must(sources, catalogue.POOL),
        drain=_must(sources, catalogue.DRAIN),
        simulator_url=_maybe(sources, catalogue.SIMULATOR_URL),
        log_format=_must(sources, catalogue.LOG_FORMAT),
        log_level=_must(sources, catalogue.LOG_LEVEL),
        engines={engine: _read_engine(sources, engine) for engine in engines},
        file=sources.file,
        lines=tuple(_line(sources, setting) for setting in known),
    )


def _read_engine(sources: Sources, engine: str) -> EngineSettings:
    known = of_engine(engine)
    return EngineSettings(
        api_key=_maybe(sources, known.api_key),
        base_url=_maybe(sources, known.base_url),
        model=_maybe(sources, known.model),
        proxy=_maybe(sources, known.proxy),
        ca_bundle=_maybe(sources, known.ca_bundle),
        create_timeout=_maybe(sources, known.create_timeout),
        deadline=_maybe(sources, known.deadline),
        slots=_maybe(sources, known.slots),
        per_minute=_maybe(sources, known.per_minute),
    )


def _maybe(sources: Sources, setting: Setting[T]) -> T | None:
    found = sources.find(setting)
    return None if found is None else setting.read(found.text, found.source)


def _must(sources: Sources, setting: Setting[T]) -> T:
    value = _maybe(sources, setting)
    if value is None:
        raise BadSettings(f"{setting.variable} must be set.")
    return value


def _direct(database_url: str | None, direct: str | None) -> str | None:
    if direct is not None and database_url is None:
        raise BadSettings(
            f"{catalogue.DATABASE_DIRECT_URL.variable} is set, but "
            f"{catalogue.DATABASE_URL.variable} is not: set both or neither."
        )
    if direct == NO_DIRECT_WAY:
        return None
    return direct or database_url


def _line(sources: Sources, setting: Setting[object]) -> Line:
    found = sources.find(setting)
    if found is None:
        return Line(setting.name, setting.variable, None, setting.implied, "default")
    return Line(
        setting.name, setting.variable, setting.shown(found.text), setting.implied, found.origin
    )
