"""Recorded replies, read where they lie, in whichever of four wrappings they came."""

import json
from pathlib import Path
from typing import Any

from quoth.providers.contract import Raw

RECORDED = Path(__file__).parents[3] / "shared" / "recorded"


def recorded(path: Path) -> list[Raw]:
    """Return the replies in a recording: a VCR cassette, a stream's events, or a bare body."""
    content = json.loads(path.read_text())
    if "sse_data_lines" in content:
        return [_stream(content["sse_data_lines"])]
    if "interactions" in content:
        return [_reply(interaction["response"]) for interaction in content["interactions"]]
    if "response" in content and isinstance(content["response"], dict):
        return [_reply(content["response"])]
    status = 429 if "_429_" in path.name else 200
    return [Raw(status, {"content-type": "application/json"}, json.dumps(content).encode())]


def _reply(response: dict[str, Any]) -> Raw:
    headers = {name.lower(): ", ".join(values) for name, values in response["headers"].items()}
    body = response["body"]
    text = body if isinstance(body, str) else json.dumps(body)
    return Raw(response["status"]["code"], headers, text.encode())


def _stream(events: list[dict[str, Any]]) -> Raw:
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return Raw(200, {"content-type": "text/event-stream"}, body.encode())
