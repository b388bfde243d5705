"""Events as log lines, for people and for machines."""

import json
import logging
from typing import Literal

from quoth.observability.events import Event, Subscriber

LogFormat = Literal["text", "json"]

log = logging.getLogger("quoth")


def to_text(event: Event) -> None:
    """Log an event as `name key=value …`; an error among the facts brings its traceback."""
    facts = " ".join(f"{name}={value}" for name, value in event.facts.items())
    _write(event, f"{event.name} {facts}".rstrip())


def to_json(event: Event) -> None:
    """Log an event as one JSON object a line."""
    _write(
        event,
        json.dumps(
            {"at": event.at.isoformat(), "event": event.name, **event.facts},
            default=str,
            ensure_ascii=False,
        ),
    )


def _write(event: Event, line: str) -> None:
    error = event.facts.get("error")
    if isinstance(error, BaseException):
        log.error(line, exc_info=error)
    else:
        log.info(line)


def start_log(form: LogFormat, level: str) -> Subscriber:
    """Write to standard error from now on; the result is what to subscribe."""
    line = "%(message)s" if form == "json" else "%(asctime)s %(levelname)s %(message)s"
    logging.basicConfig(format=line, force=True)
    logging.getLogger().setLevel(logging.WARNING)
    # Storage tells of an outage once; the pool would repeat it each second.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    log.setLevel(level.upper())
    return to_json if form == "json" else to_text
