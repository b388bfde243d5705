"""How things are said on a terminal, where engines' texts must not speak for themselves."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from quoth.capture.views.shapes import CaptureView, Money

# Control characters move the cursor or hide text; so do the marks that turn its direction.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """One line of text that can do nothing but be read."""
    return UNSAFE.sub(" ", text)


def short(text: str, width: int) -> str:
    """At most `width` characters of it."""
    text = plain(text)
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def cost(amounts: Sequence[Money], unpriced: int = 0) -> str:
    """`0.0123 USD`; unknown is not nothing, and a sum says what it leaves out."""
    if not amounts:
        return "unknown"
    known = ", ".join(f"{each.amount.normalize():f} {each.currency}" for each in amounts)
    return f"{known}, and {unpriced} more at a price not known" if unpriced else known


def took(duration: timedelta | None) -> str:
    """`7s`, `2m 05s`."""
    if duration is None:
        return ""
    minutes, seconds = divmod(round(duration.total_seconds()), 60)
    return f"{minutes}m {seconds:02}s" if minutes else f"{seconds}s"


def state(capture: CaptureView) -> str:
    """What has become of a capture, in a few words."""
    if capture.outcome is not None:
        return capture.outcome.replace("_", " ")
    if capture.state != "waiting":
        return capture.state
    parts = [f"waiting, try {capture.tries} of {capture.max_tries}"]
    if capture.due_at is not None:
        left = max(timedelta(0), capture.due_at - datetime.now(UTC))
        parts.append(f"next in {took(left)}")
    if capture.reason:
        parts.append(short(capture.reason, 60))
    return ", ".join(parts)


def named(capture: CaptureView) -> str:
    """Who was named, in the order of first mention; nobody and not known are different."""
    if capture.outcome not in ("answered", "answered_without_search", "incomplete"):
        return "-"
    names = sorted(capture.named, key=lambda each: each.order)
    return ", ".join(_name(each.brand, each.mentions) for each in names) or "nobody"


def _name(brand: str, mentions: int) -> str:
    return plain(brand) if mentions == 1 else f"{plain(brand)} x{mentions}"
