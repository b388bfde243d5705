"""From text to a value: one function a type, each with the sentence that is shown when it fails."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+", re.ASCII)
PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", re.ASCII)
LONGEST = timedelta(days=7)


def parse_text(text: str) -> str:
    """Any text but none."""
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def parse_path(text: str) -> Path:
    """A path; `~` is the home directory, a relative one is relative to the current directory."""
    return Path(parse_text(text)).expanduser().absolute()


def parse_whole(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from `least` to `most`."""

    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
            raise ValueError(f"must be a whole number from {least} to {most}")
        number = int(text)
        if not least <= number <= most:
            raise ValueError(f"must be from {least} to {most}")
        return number

    return parse


def parse_duration(text: str) -> timedelta:
    """`30s`, `5m`, `1h30m`, `250ms`: more than nothing and at most a week."""
    text = text.strip().replace(" ", "")
    if not DURATION.fullmatch(text) or len(text) > 40:
        raise ValueError("must be a duration such as 30s, 5m or 1h30m")
    seconds = sum(float(number) * UNITS[unit] for number, unit in PART.findall(text))
    if not 0 < seconds <= LONGEST.total_seconds():
        raise ValueError("must be longer than 0s and at most 7d")
    return timedelta(seconds=seconds)


def parse_base_url(text: str) -> str:
    """An `http` or `https` address without a password, a query or a fragment."""
    text = parse_text(text)
    try:
        parts = urlsplit(text)
        bad = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    except ValueError:
        bad = True
    if bad:
        raise ValueError("must be an address such as https://api.example.com/v1")
    if parts.query or parts.fragment or parts.username or parts.password:
        raise ValueError("must have no user, password, query or fragment")
    return text.rstrip("/")


def parse_proxy(text: str) -> str:
    """A proxy's address; it may hold a user and a password."""
    text = parse_text(text)
    try:
        parts = urlsplit(text)
        bad = parts.scheme not in ("http", "https", "socks5", "socks5h") or not parts.hostname
        bad = bad or parts.port == 0
    except ValueError:
        bad = True
    if bad:
        raise ValueError("must be an address such as http://proxy.example.com:3128")
    return text


def parse_database_url(text: str) -> str:
    """What psycopg takes: `postgresql://…` or `host=… dbname=…`."""
    text = parse_text(text)
    if re.match(r"postgres(ql)?://", text) or re.match(r"\w+\s*=", text):
        return text
    raise ValueError("must be an address such as postgresql://user:password@host:5432/quoth")


def parse_secret(least: int) -> Callable[[str], str]:
    """Return a parser of secrets of at least `least` characters; its sentences quote none."""

    def parse(text: str) -> str:
        text = text.strip()
        if len(text) < least:
            raise ValueError(f"must have at least {least} characters")
        if not re.fullmatch(r"[\x21-\x7e]+", text):
            raise ValueError("must be printable ASCII without spaces")
        return text

    return parse


def parse_hosts(text: str) -> tuple[str, ...]:
    """Names by which browsers reach us, with or without a port, separated by commas."""
    hosts = tuple(host.strip().lower() for host in text.split(",") if host.strip())
    for host in hosts:
        if not re.fullmatch(r"(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:\d{1,5})?", host):
            raise ValueError(
                "must be host names separated by commas, such as quoth.example.com, box.local:8420"
            )
    return hosts


def parse_log_format(text: str) -> Literal["text", "json"]:
    """For people or for machines."""
    match text.strip():
        case "text":
            return "text"
        case "json":
            return "json"
        case _:
            raise ValueError("must be text or json")


def parse_log_level(text: str) -> Literal["debug", "info", "warning", "error"]:
    """The least important lines that are still written."""
    match text.strip().lower():
        case "debug":
            return "debug"
        case "info":
            return "info"
        case "warning":
            return "warning"
        case "error":
            return "error"
        case _:
            raise ValueError("must be debug, info, warning or error")
