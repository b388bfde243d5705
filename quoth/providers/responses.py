"""Reads the response object that the Responses API and its relatives share."""

import re
from collections.abc import Iterable
from typing import Any

from quoth.providers.contract import Faulty, Finding, Link, Malformed, Raw, Reply, WrongModel
from quoth.providers.json_body import events, integer, is_stream, load_object, obj, objects, text
from quoth.providers.refusal import declined, failure, refusal
from quoth.providers.same_model import same_model

_ID = re.compile(r"[\x21-\x7e]{1,200}")
_ID_IN_PIECES = re.compile(rb'"id"\s*:\s*"(resp_[\w-]{1,195})"')

ENDS = frozenset({"completed", "failed", "incomplete", "cancelled"})


def response_id(body: bytes) -> str | None:
    """Return the id in a created response, also in one of which only the start arrived."""
    reply = load_object(body)
    if reply is not None:
        found = reply.get("id")
        return found if isinstance(found, str) and _ID.fullmatch(found) else None
    piece = _ID_IN_PIECES.search(body)
    return piece[1].decode() if piece else None


def load_response(raw: Raw) -> dict[str, Any]:
    """Return the response object in `raw`: bare, or the last word of an event stream.

    Raises what a refusal in its place means, or `Malformed`.
    """
    if not 200 <= raw.status < 300:
        raise refusal(raw)
    if is_stream(raw):
        return _end_of_stream(raw)
    reply = load_object(raw.body)
    if reply is None:
        raise Malformed("the reply is no JSON object", raw=raw)
    return reply


def _end_of_stream(raw: Raw) -> dict[str, Any]:
    told = events(raw.body)
    for event in reversed(told):
        if event.get("type") in {f"response.{end}" for end in ENDS}:
            return obj(event.get("response"))
    for event in told:
        if event.get("type") == "error":
            raise failure(event.get("error") or event, raw=raw)
    raise Malformed("the stream ends without telling how it ended", raw=raw)


def policy_refusal(response: dict[str, Any], *, asked: str) -> Reply | None:
    """Return the finding that the engine's policy forbade an answer, or None."""
    reason = declined(response.get("error")) if response.get("status") == "failed" else None
    if reason is None:
        return None
    model = text(response.get("model")) or asked
    return Reply("refused", "", model, searched=False, reason=reason)


def check_ended(response: dict[str, Any], raw: Raw) -> None:
    """Raise what a response that holds no answer means."""
    status = response.get("status")
    if status == "failed" or (status is None and response.get("error")):
        raise failure(response.get("error"), raw=raw)
    if status in ("cancelled", "cancelling"):
        raise Faulty("the engine says that it was cancelled", raw=raw)
    if status not in ("completed", "incomplete"):
        raise Malformed(f"its status is {status!r}: over, but not in a way we know", raw=raw)
    if not isinstance(response.get("output"), list):
        raise Malformed("the response has no output", raw=raw)


def check_model(response: dict[str, Any], *, asked: str, raw: Raw) -> str:
    """Return which model answered. Raises `WrongModel` when it is not the one asked."""
    model = text(response.get("model"))
    if model is None:
        raise WrongModel(f"{asked} was asked, and the reply does not say what answered", raw=raw)
    if not same_model(asked, model):
        raise WrongModel(f"{asked} was asked, {model[:100]} answered", raw=raw)
    return model


def answer_in(response: dict[str, Any]) -> tuple[str, list[Link], str | None]:
    """Return the text of the final messages, the links that annotate it, and a refusal's words.

    What a model says on the way (`commentary`) is no part of its answer.
    """
    written = ""
    links: list[Link] = []
    refused = None
    for item in objects(response.get("output")):
        if item.get("type") != "message" or item.get("phase") not in (None, "final_answer"):
            continue
        written += "\n\n" if written else ""
        for part in objects(item.get("content")):
            if part.get("type") == "refusal":
                refused = text(part.get("refusal")) or "declined"
            elif part.get("type") == "output_text" and isinstance(part.get("text"), str):
                links += _annotations(part, base=len(written))
                written += part["text"]
    return written, links, refused


def _annotations(part: dict[str, Any], *, base: int) -> Iterable[Link]:
    for note in objects(part.get("annotations")):
        if note.get("type") != "url_citation":
            continue
        note = obj(note.get("url_citation")) or note
        url = web_url(note.get("url"))
        if url is None:
            continue
        start, end = span(part["text"], url, note.get("start_index"), note.get("end_index"))
        if start is None or end is None:
            yield Link(url, text(note.get("title")), used=True)
        else:
            yield Link(url, text(note.get("title")), True, base + start, base + end)


def span(written: str, url: str, start: object, end: object) -> tuple[int | None, int | None]:
    """Return the offsets, clamped to the text, or Nones where they do not hold.

    A link that stands in the text, but not where the offsets point, was counted in another unit.
    """
    first, last = integer(start), integer(end)
    if first is None or last is None:
        return None, None
    first, last = max(first, 0), min(last, len(written))
    if first >= last or (url in written and url not in written[first:last]):
        return None, None
    return first, last


def web_url(value: object) -> str | None:
    """Return `value` if it is the address of a page; engines also give ids and worse as one."""
    url = text(value)
    return url if url and url.lower().startswith(("http://", "https://")) else None


def finding_of(
    response: dict[str, Any], written: str, *, refused: str | None, searched: bool
) -> tuple[Finding, str | None]:
    """Return what became of the question, and the engine's reason where it gives one."""
    if refused is not None:
        return "refused", refused
    reason = text(obj(response.get("incomplete_details")).get("reason"))
    if response.get("status") == "incomplete":
        if reason == "content_filter" and not written.strip():
            return "refused", reason
        return "incomplete", reason
    if not written.strip():
        return "empty", None
    return ("answered" if searched else "answered_without_search"), None


def consulted_only(used: list[Link], consulted: Iterable[Link]) -> list[Link]:
    """Return those of `consulted` that are not used, each address once."""
    seen = {bare(link.url) for link in used}
    left: list[Link] = []
    for link in consulted:
        if bare(link.url) not in seen:
            seen.add(bare(link.url))
            left.append(link)
    return left


def bare(url: str) -> str:
    """Return `url` without the mark that OpenAI puts on what it cites."""
    return re.sub(r"[?&]utm_source=openai$", "", url)
