"""What an engine was asked for, and how it says no."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Order:
    """A valid request. `model` is what will answer; `request` is the body, for the echo.

    `question` is the prompt without the fault markers in it.
    """

    prompt: str
    question: str
    model: str
    searches: bool
    background: bool
    stored: bool
    request: Mapping[str, Any]

    @property
    def metadata(self) -> Mapping[str, str]:
        """The caller's own reference, kept and echoed."""
        return self.request.get("metadata") or {}


class Refused(Exception):
    """The request is not accepted; nothing was bought."""

    def __init__(
        self, status: int, message: str, *, code: str | None = None, param: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param


def tools_of(request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tools that a request brings. Raises `Refused` if they are no tools."""
    tools = request.get("tools") or []
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise Refused(400, "Invalid 'tools'.", code="invalid_type", param="tools")
    for tool in tools:
        if not isinstance(tool.get("user_location") or {}, dict):
            raise Refused(400, "Invalid 'user_location'.", code="invalid_type", param="tools")
    return tools


def check_metadata(request: Mapping[str, Any]) -> None:
    """Raise `Refused` unless the metadata are words by name."""
    metadata = request.get("metadata") or {}
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise Refused(400, "Invalid 'metadata'.", code="invalid_type", param="metadata")


def text_of(value: object) -> str | None:
    """Return the user's words in an `input`: a string, or messages with strings or parts."""
    if isinstance(value, str):
        return value or None
    if not isinstance(value, list):
        return None
    said = [
        words
        for item in value
        if isinstance(item, dict) and item.get("role", "user") == "user"
        for words in _words(item.get("content"))
    ]
    return "\n".join(said) or None


def _words(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return [part for part in parts if isinstance(part, str)]


_REFUSALS: Mapping[str, tuple[int, str, str | None]] = {
    "400": (400, "Invalid request.", "invalid_value"),
    "401": (401, "Incorrect API key provided.", "invalid_api_key"),
    "402": (402, "Your credit balance is too low.", "insufficient_credits"),
    "403": (
        403,
        "Country, region, or territory not supported",
        "unsupported_country_region_territory",
    ),
    "404": (404, "Not found.", None),
    "408": (408, "The request timed out.", None),
    "409": (409, "Another request is changing this resource.", None),
    "422": (422, "The request could not be processed.", "invalid_value"),
    "429": (429, "Rate limit reached. Please try again later.", "rate_limit_exceeded"),
    "quota": (
        429,
        "You exceeded your current quota, please check your plan.",
        "insufficient_quota",
    ),
    "overloaded": (503, "Our servers are currently overloaded.", "server_is_overloaded"),
    "500": (500, "The server had an error while processing your request.", "server_error"),
}


def refused_as(kind: str, code: str | None) -> Refused:
    """Return the refusal that a fault of this kind is, perhaps with another `code`."""
    status, message, usual = _REFUSALS[kind]
    return Refused(status, message, code=code or usual)
