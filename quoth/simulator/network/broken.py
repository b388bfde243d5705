"""Replies that go wrong on the wire."""

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from quoth.simulator.faults import PAGES, Fault
from quoth.simulator.network.connection import close, gone, reset

DRIP = 10.0
DRIPS = 20

_REASONS = {
    502: "Bad gateway",
    503: "Service Temporarily Unavailable",
    504: "Gateway time-out",
    520: "Web server is returning an unknown error",
    522: "Connection timed out",
    524: "A timeout occurred",
}


def broken(fault: Fault, reply: Response) -> Response:
    """Return what comes in the place of `reply`."""
    if fault.kind in PAGES:
        return page(int(fault.kind), after=fault.after)
    match fault.kind:
        case "hang":
            return Hang()
        case "reset":
            return Reset()
        case "truncated":
            return Truncated(reply)
        case "drip":
            return Drip(reply, DRIP if fault.seconds is None else fault.seconds)
        case "empty":
            return Response(b"", 200, media_type="application/json")
        case "html":
            return page(200)
        case "malformed":
            return Response(
                bytes(reply.body).replace(b'"output":', b'"output",', 1)[:-1] + b",]",
                200,
                media_type="application/json",
            )
        case _:
            raise ValueError(f"{fault.kind} does not happen to a reply")


def page(status: int, *, after: float | None = None) -> Response:
    """Return what a CDN says in the place of the engine behind it."""
    title = f"{status}: {_REASONS[status]}" if status in _REASONS else "Just a moment..."
    headers = {"server": "cloudflare", "cf-ray": "8f2c0d1e3a4b5c6d-FRA"}
    if after is not None:
        headers["retry-after"] = f"{after:g}"
    return Response(
        f'<!DOCTYPE html>\n<html lang="en-US">\n<head><title>api.example.com | {title}</title>'
        f"</head>\n<body>\n<center><h1>{title}</h1></center>\n<hr><center>cloudflare</center>\n"
        "</body>\n</html>\n",
        status,
        headers,
        media_type="text/html; charset=UTF-8",
    )


class Hang(Response):
    """No reply, ever; ends when the caller gives up."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Wait for the caller to give up."""
        await gone(receive)


class Reset(Response):
    """The connection breaks where the reply should come."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Break the connection."""
        reset(scope)
        await gone(receive)


class Truncated(Response):
    """The first half of a reply whose headers promise all of it."""

    def __init__(self, reply: Response) -> None:
        super().__init__(reply.body, reply.status_code)
        self.raw_headers = reply.raw_headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send half and end the connection."""
        half = bytes(self.body)[: len(self.body) // 2]
        await send(_start(self))
        await send({"type": "http.response.body", "body": half, "more_body": True})
        close(scope)
        await gone(receive)


class Drip(Response):
    """A whole reply, in small pieces that take `seconds` together."""

    def __init__(self, reply: Response, seconds: float) -> None:
        super().__init__(reply.body, reply.status_code)
        self.raw_headers = reply.raw_headers
        self._pause = seconds / DRIPS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send piece by piece."""
        body = bytes(self.body)
        size = -(-len(body) // DRIPS) or 1
        await send(_start(self))
        for start in range(0, len(body), size):
            if await gone(receive, within=self._pause):
                return
            piece = {"type": "http.response.body", "body": body[start : start + size]}
            await send({**piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def _start(response: Response) -> dict[str, object]:
    return {
        "type": "http.response.start",
        "status": response.status_code,
        "headers": response.raw_headers,
    }
