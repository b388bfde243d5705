"""One request and what came of it, however it ended."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from httpx2 import AsyncBaseTransport, AsyncClient, HTTPError, Request

MOST_BYTES = 20 * 1024 * 1024

# The body is kept decoded, so how it travelled would only mislead; the rest is secret.
DROPPED_HEADERS = frozenset(
    {
        "authorization",
        "content-encoding",
        "content-length",
        "cookie",
        "openai-organization",
        "openai-project",
        "proxy-authenticate",
        "set-cookie",
        "transfer-encoding",
        "www-authenticate",
    }
)


@dataclass(slots=True)
class Exchange:
    """How far one request came. What it holds stays true when the exchange breaks off."""

    sent: bool = False
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    too_long: bool = False
    broke: str | None = None

    tcp: Any = field(default=None, repr=False)

    async def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Note the moment from which on the engine may know of the request.

        A proxy's CONNECT is a request of its own, which the engine never sees. And close what the
        HTTP client forgets: the connection under a TLS handshake that is cancelled.
        """
        if event == "http11.send_request_headers.started":
            self.sent = self.sent or info["request"].method != b"CONNECT"
        elif event == "connection.connect_tcp.complete":
            self.tcp = info["return_value"]
        elif event.endswith("start_tls.failed") and self.tcp is not None:
            await self.tcp.aclose()


async def exchange(
    over: AsyncClient | AsyncBaseTransport, request: Request, *, within: timedelta
) -> Exchange:
    """Send `request` and take in the reply as far as it comes `within` that time; never raises.

    Only a cancellation passes through; the connection is closed or given back first.
    """
    came = Exchange()
    request.extensions["trace"] = came.trace
    try:
        async with asyncio.timeout(within.total_seconds()):
            await _receive(over, request, came)
    except TimeoutError:
        came.broke = f"no whole reply within {within.total_seconds():g} s"
    except (HTTPError, OSError) as error:
        came.broke = f"{type(error).__name__}: {error}".removesuffix(": ")
    return came


async def _receive(
    over: AsyncClient | AsyncBaseTransport, request: Request, came: Exchange
) -> None:
    if isinstance(over, AsyncClient):
        response = await over.send(request, stream=True)
    else:
        response = await over.handle_async_request(request)
    try:
        came.headers = _kept(response.headers.multi_items())
        came.status = response.status_code
        async for chunk in response.aiter_bytes():
            came.body += chunk
            if len(came.body) > MOST_BYTES:
                came.too_long = True
                came.broke = f"longer than {MOST_BYTES} bytes"
                return
    finally:
        await response.aclose()


def _kept(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        if lower not in DROPPED_HEADERS:
            kept[lower] = f"{kept[lower]}, {value}" if lower in kept else value
    return kept
