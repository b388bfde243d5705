"""How long an engine asks us to stay away."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

# A mistyped or hostile header must not close a lane for years; a probe after an hour is cheap.
LONGEST = timedelta(hours=1)


def retry_after(headers: Mapping[str, str]) -> timedelta | None:
    """Return the wait that `headers` (lower-case names) ask for, or None where there is none.

    Only to be asked of a refusal: engines send `retry-after` with successes too.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _bounded(milliseconds / 1000)
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is None and value:
        seconds = _until(value, now=headers.get("date"))
    return None if seconds is None else _bounded(seconds)


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _until(value: str, *, now: str | None) -> float | None:
    """Seconds until an HTTP date, by the server's clock where it tells its time."""
    moment = _date(value)
    if moment is None:
        return None
    return max((moment - (_date(now or "") or datetime.now(UTC))).total_seconds(), 0.0)


def _date(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _bounded(seconds: float) -> timedelta:
    return timedelta(seconds=min(seconds, LONGEST.total_seconds()))
