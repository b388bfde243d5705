"""The settings of a process, parsed once; rooms are given values out of them, never all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Literal

from quoth.settings.listen import Listen


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """How one engine is asked; None leaves it to the engine's adapter."""

    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    model: str | None = None
    proxy: str | None = field(default=None, repr=False)
    ca_bundle: Path | None = None
    create_timeout: timedelta | None = None
    deadline: timedelta | None = None
    slots: int | None = None
    per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A setting as it may be shown: no secret in it. `value` None = unset, `implied` then holds."""

    name: str
    variable: str
    value: str | None
    implied: str
    source: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was set, and where from.

    `database_url` None is the embedded database. `database_direct_url` is the way past a pooler:
    equal to `database_url` where there is no pooler, None where there is no direct way.
    """

    data_dir: Path
    database_url: str | None = field(repr=False)
    database_direct_url: str | None = field(repr=False)
    listen: Listen
    access_token: str | None = field(repr=False)
    hosts: tuple[str, ...]
    pool: int
    drain: timedelta
    simulator_url: str | None
    log_format: Literal["text", "json"]
    log_level: Literal["debug", "info", "warning", "error"]
    engines: Mapping[str, EngineSettings]
    # The file that was read, if one was.
    file: Path | None
    lines: tuple[Line, ...] = field(repr=False)
