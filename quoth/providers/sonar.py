"""Reads bodies of Perplexity's retired Sonar chat completions, which archives still hold."""

from typing import Any

from quoth.providers.contract import Finding, Link, Raw
from quoth.providers.json_body import events, is_stream, load_object, obj, objects, text, texts
from quoth.providers.responses import web_url


def is_sonar(raw: Raw) -> bool:
    """Whether a reply is a chat completion, or a stream of pieces of one."""
    first = next(iter(events(raw.body)), None) if is_stream(raw) else load_object(raw.body)
    return first is not None and isinstance(first.get("choices"), list)


def load_sonar(raw: Raw) -> dict[str, Any]:
    """Return the chat completion in `raw`; a stream is put together to one."""
    if not is_stream(raw):
        return obj(load_object(raw.body))
    pieces = events(raw.body)
    written = "".join(_text_of(piece, "delta") for piece in pieces)
    last = pieces[-1]
    choice = (objects(last.get("choices")) or [{}])[0]
    return {**last, "choices": [{**choice, "message": {"content": written}}]}


def read_sonar(body: dict[str, Any]) -> tuple[Finding, str, list[Link]]:
    """Return the finding, the text and its sources in the order of their numbers.

    `search_results` came after `citations` and says more; either may be missing.
    """
    written = _text_of(body, "message")
    sources = [
        Link(url, text(source.get("title")), used=False)
        for source in objects(body.get("search_results"))
        if (url := web_url(source.get("url")))
    ] or [Link(url, None, used=False) for url in texts(body.get("citations")) if web_url(url)]
    choice = (objects(body.get("choices")) or [{}])[0]
    if choice.get("finish_reason") == "length":
        return "incomplete", written, sources
    if not written.strip():
        return "empty", "", sources
    return ("answered" if sources else "answered_without_search"), written, sources


def _text_of(body: dict[str, Any], part: str) -> str:
    choice = (objects(body.get("choices")) or [{}])[0]
    written = obj(choice.get(part)).get("content")
    return written if isinstance(written, str) else ""
