"""Every setting there is, described once."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

from quoth.settings.listen import Listen, parse_listen
from quoth.settings.parse import (
    parse_base_url,
    parse_database_url,
    parse_duration,
    parse_hosts,
    parse_log_format,
    parse_log_level,
    parse_path,
    parse_proxy,
    parse_secret,
    parse_text,
    parse_whole,
)
from quoth.settings.places import default_data_dir
from quoth.settings.setting import Setting, hide, hide_password

CONFIG_VARIABLE = "QUOTH_CONFIG"
NO_DIRECT_WAY = "none"

DATA_DIR: Setting[Path] = Setting(
    "data_dir", "QUOTH_DATA_DIR", "path", parse_path, str(default_data_dir()),
    "Where the embedded database and its dumps live.",
    implied="`/var/lib/quoth` for root, else the user's data directory",
)  # fmt: skip
DATABASE_URL: Setting[str] = Setting(
    "database_url", "QUOTH_DATABASE_URL", "PostgreSQL address", parse_database_url, None,
    "A PostgreSQL (15 or later) to use in place of the embedded one.",
    implied="the embedded database in the data directory", shown=hide_password, or_file=True,
)  # fmt: skip
DATABASE_DIRECT_URL: Setting[str] = Setting(
    "database_direct_url", "QUOTH_DATABASE_DIRECT_URL", "PostgreSQL address or `none`",
    lambda text: text if text == NO_DIRECT_WAY else parse_database_url(text), None,
    "The way past a connection pooler, for LISTEN, the workers' beat and migrations; `none` where "
    "there is only the pooler.",
    implied="the same as `database_url`", shown=hide_password, or_file=True,
)  # fmt: skip
LISTEN: Setting[Listen] = Setting(
    "listen", "QUOTH_LISTEN", "host:port", parse_listen, "127.0.0.1:8420",
    "Where pages and API are served; port 0 takes a free one. An address that is not a loopback "
    "one needs `access_token`.",
)  # fmt: skip
ACCESS_TOKEN: Setting[str] = Setting(
    "access_token", "QUOTH_ACCESS_TOKEN", "text", parse_secret(16), None,
    "What people sign in with and programs send as `Authorization: Bearer`; at least 16 "
    "characters. Once set, it is always asked for.",
    implied="no sign-in, on a loopback address only", shown=hide, or_file=True,
)  # fmt: skip
HOSTS: Setting[tuple[str, ...]] = Setting(
    "hosts", "QUOTH_HOSTS", "names, comma-separated", parse_hosts, None,
    "Host names by which browsers may reach Quoth, such as the public name of a reverse proxy.",
    implied="loopback names; any name where a token is asked for",
)  # fmt: skip
POOL: Setting[int] = Setting(
    "pool", "QUOTH_POOL", "whole number", parse_whole(1, 10_000), "8",
    "How many jobs one process works on at once.",
)  # fmt: skip
DRAIN: Setting[timedelta] = Setting(
    "drain", "QUOTH_DRAIN", "duration", parse_duration, "30s",
    "How long running jobs may go on after the process was asked to stop.",
)  # fmt: skip
SIMULATOR_URL: Setting[str] = Setting(
    "simulator_url", "QUOTH_SIMULATOR_URL", "address", parse_base_url, None,
    "A running `quoth simulate` to ask in place of every real engine; what it answers is marked "
    "as simulated.",
    implied="real engines; with `--demo`, a simulator of the process's own",
)  # fmt: skip
LOG_FORMAT: Setting[Literal["text", "json"]] = Setting(
    "log_format", "QUOTH_LOG_FORMAT", "`text` or `json`", parse_log_format, "text",
    "Log lines for people or one JSON object a line.",
)  # fmt: skip
LOG_LEVEL: Setting[Literal["debug", "info", "warning", "error"]] = Setting(
    "log_level", "QUOTH_LOG_LEVEL", "`debug`, `info`, `warning` or `error`", parse_log_level,
    "info", "The least important lines that are still written.",
)  # fmt: skip

OF_THE_PROCESS: tuple[Setting[object], ...] = (
    DATA_DIR, DATABASE_URL, DATABASE_DIRECT_URL, LISTEN, ACCESS_TOKEN, HOSTS, POOL, DRAIN,
    SIMULATOR_URL, LOG_FORMAT, LOG_LEVEL,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OfAnEngine:
    """The settings of one engine."""

    api_key: Setting[str]
    base_url: Setting[str]
    model: Setting[str]
    proxy: Setting[str]
    ca_bundle: Setting[Path]
    create_timeout: Setting[timedelta]
    deadline: Setting[timedelta]
    slots: Setting[int]
    per_minute: Setting[int]

    @property
    def all(self) -> tuple[Setting[object], ...]:
        """In the order in which they are shown."""
        return (
            self.api_key, self.base_url, self.model, self.proxy, self.ca_bundle,
            self.create_timeout, self.deadline, self.slots, self.per_minute,
        )  # fmt: skip


def of_engine(engine: str) -> OfAnEngine:
    """Describe the settings of `engine`; they live in the file's table `[engines.<engine>]`."""
    table, prefix = f"engines.{engine}", f"QUOTH_{engine.upper()}"
    own = "the engine's own"
    return OfAnEngine(
        api_key=Setting(
            f"{table}.api_key", f"{prefix}_API_KEY", "text", parse_secret(1), None,
            "The key to the engine's API; without one the engine cannot be asked.",
            implied="the engine is not asked", shown=hide, or_file=True,
        ),
        base_url=Setting(
            f"{table}.base_url", f"{prefix}_BASE_URL", "address", parse_base_url, None,
            "Another address of the engine's API, such as a gateway.", implied=own,
        ),
        model=Setting(
            f"{table}.model", f"{prefix}_MODEL", "text", parse_text, None,
            "The model that is asked; an answer by another one is not taken.", implied=own,
        ),
        proxy=Setting(
            f"{table}.proxy", f"{prefix}_PROXY", "address", parse_proxy, None,
            "The proxy through which the engine is reached.", implied="none",
            shown=hide_password,
        ),
        ca_bundle=Setting(
            f"{table}.ca_bundle", f"{prefix}_CA_BUNDLE", "path", parse_path, None,
            "A file of certificates (PEM) to trust instead of the system's.",
            implied="the system's",
        ),
        create_timeout=Setting(
            f"{table}.create_timeout", f"{prefix}_CREATE_TIMEOUT", "duration", parse_duration,
            None, "How long the engine may take to accept a question.", implied=own,
        ),
        deadline=Setting(
            f"{table}.deadline", f"{prefix}_DEADLINE", "duration", parse_duration, None,
            "How long one try may take, the wait for the answer included.", implied=own,
        ),
        slots=Setting(
            f"{table}.slots", f"{prefix}_SLOTS", "whole number", parse_whole(1, 10_000), None,
            "How many calls may be out at once, over all processes.", implied=own,
        ),
        per_minute=Setting(
            f"{table}.per_minute", f"{prefix}_PER_MINUTE", "whole number",
            parse_whole(1, 1_000_000), None,
            "How many calls may start in a minute, over all processes.", implied="no limit",
        ),
    )  # fmt: skip
