"""JSON from outside, taken apart without trusting its shape."""

import json
import re
from typing import Any

from quoth.providers.contract import Raw

# PostgreSQL stores neither; both are one code point, and so is what replaces them.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_PERHAPS_UNSTORABLE = re.compile(r"\x00|\\u0000|\\u[dD][89a-fA-F]")


def load(body: bytes) -> Any:
    """Return what `body` says. Raises `ValueError` when it is not JSON, or absurdly nested."""
    text = body.decode("utf-8-sig", errors="replace")
    try:
        value = json.loads(text, parse_constant=_nothing)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return _storable(value) if _PERHAPS_UNSTORABLE.search(text) else value


def _nothing(_: str) -> None:
    """NaN and Infinity are no JSON, and nothing that we could store."""


def _storable(value: Any) -> Any:
    match value:
        case str():
            return _UNSTORABLE.sub("\ufffd", value)
        case list():
            return [_storable(item) for item in value]
        case dict():
            return {_storable(key): _storable(item) for key, item in value.items()}
        case _:
            return value


def load_object(body: bytes) -> dict[str, Any] | None:
    """Return the JSON object that `body` is, or None."""
    try:
        value = load(body)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def is_stream(raw: Raw) -> bool:
    """Whether a reply is a stream of server-sent events."""
    kind = raw.headers.get("content-type", "")
    return kind.startswith("text/event-stream") or raw.body.lstrip()[:6] in (b"event:", b"data: ")


def events(body: bytes) -> list[dict[str, Any]]:
    """Return the objects in the `data:` lines of a stream, in order."""
    lines = (line.strip() for line in body.splitlines())
    objects = (load_object(line[5:]) for line in lines if line.startswith(b"data:"))
    return [event for event in objects if event is not None]


def obj(value: Any) -> dict[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in `value` if it is a list; all else is left out."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: Any) -> str | None:
    """Return `value` if it is a text that says something."""
    return value if isinstance(value, str) and value.strip() else None


def texts(value: Any) -> list[str]:
    """Return the texts in `value` if it is a list."""
    return [item for item in value if text(item)] if isinstance(value, list) else []


def integer(value: Any) -> int | None:
    """Return `value` if it is a whole number (a truth value is none)."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
