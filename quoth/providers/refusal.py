"""What a refusal means: from a status, a code and a body to what the caller does next."""

import re

from quoth.providers.contract import (
    AccountProblem,
    Busy,
    Faulty,
    NotSent,
    ProviderError,
    Raw,
    Rejected,
    Unknown,
)
from quoth.providers.json_body import load_object, obj, text
from quoth.providers.retry_after import retry_after

ACCOUNT_CODES = frozenset(
    {
        "account_deactivated",
        "billing_hard_limit_reached",
        "billing_not_active",
        "credit_balance_exhausted",
        "insufficient_quota",
        "invalid_api_key",
        "unsupported_country_region_territory",
    }
)
BUSY_CODES = frozenset({"rate_limit_exceeded", "server_is_overloaded", "slow_down"})
POLICY_CODES = frozenset(
    {
        "bio_policy",
        "content_filter",
        "content_policy_violation",
        "invalid_prompt",
        "misalignment_policy_violation",
    }
)

ACCOUNT_STATUSES = frozenset({401, 402, 403, 407})
BUSY_STATUSES = frozenset({408, 409, 425, 429})
# A gateway gave up waiting, or lost the engine in mid-call: the engine may have taken the call.
GATEWAY_LOST_IT = frozenset({499, 504, 520, 524})

_TITLE = re.compile(rb"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_SPACES = re.compile(r"\s+")
_LONGEST_REASON = 300


def refusal(raw: Raw) -> ProviderError:
    """Return what a reply outside 2xx means for the call that it answers.

    `Busy` says that nothing was bought, so what leaves that open is `Unknown`: a gateway that
    waited in vain, and a 5xx without a body, where nobody says that the call was refused.
    """
    codes, message = error_in(raw.body)
    reason = _sentence(f"HTTP {raw.status}", codes, message)
    status = raw.status
    if status in ACCOUNT_STATUSES or codes & ACCOUNT_CODES:
        return AccountProblem(reason, raw=raw)
    if 300 <= status < 400:
        return NotSent(f"{reason} (a redirect, never followed: check the base URL)", raw=raw)
    if status in GATEWAY_LOST_IT or (status >= 500 and not raw.body.strip()):
        return Unknown(reason, raw=raw)
    if status in BUSY_STATUSES or status >= 500:
        return Busy(reason, after=retry_after(raw.headers), raw=raw)
    return Rejected(reason, raw=raw)


def failure(error: object, *, raw: Raw) -> ProviderError:
    """Return what an error object inside a successful reply means."""
    codes, message = _parts(error)
    reason = _sentence("the engine failed", codes, message)
    if codes & ACCOUNT_CODES:
        return AccountProblem(reason, raw=raw)
    if codes & BUSY_CODES:
        return Busy(reason, raw=raw)
    if codes & {"data_residency_mismatch", "invalid_request_error"}:
        return Rejected(reason, raw=raw)
    return Faulty(reason, raw=raw)


def declined(error: object) -> str | None:
    """Return why the engine declines by its policy, or None if `error` is of another kind."""
    codes, message = _parts(error)
    return _sentence("declined", codes, message) if codes & POLICY_CODES else None


def error_in(body: bytes) -> tuple[frozenset[str], str]:
    """Return the codes and the message of an error body: JSON of any flavour, or a page."""
    reply = load_object(body)
    if reply is not None:
        return _parts(reply.get("error") or reply.get("detail") or reply)
    title = _TITLE.search(body[:10_000])
    return frozenset(), title[1].decode(errors="replace") if title else ""


def _parts(error: object) -> tuple[frozenset[str], str]:
    if isinstance(error, str):
        return frozenset(), error
    fields = obj(error)
    codes = (text(fields.get(name)) for name in ("code", "type"))
    return frozenset(code for code in codes if code), text(fields.get("message")) or ""


def _sentence(start: str, codes: frozenset[str], message: str) -> str:
    parts = [start, " ".join(sorted(codes)), _SPACES.sub(" ", message).strip()]
    return ": ".join(part for part in parts if part)[:_LONGEST_REASON]
