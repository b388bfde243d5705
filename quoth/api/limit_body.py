"""No more of a body is read than the API takes."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quoth.api.problems import problem

TOO_LARGE = "The body has more than {:,} bytes, which is all that is taken."


class LimitBody:
    """Pure ASGI: refuses what is announced as too large, and cuts off what turns out to be."""

    def __init__(self, app: ASGIApp, largest: int) -> None:
        self._app = app
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless it is announced as too large."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        detail = TOO_LARGE.format(self._largest)
        if any(_announced(value) > self._largest for value in _lengths(scope)):
            await problem(413, detail)(scope, receive, send)
            return
        read = 0

        async def receive_within() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._largest:
                raise HTTPException(413, detail)
            return message

        await self._app(scope, receive_within, send)


def _lengths(scope: Scope) -> list[bytes]:
    return [value for name, value in scope["headers"] if name == b"content-length"]


def _announced(value: bytes) -> int:
    return int(value) if value.isdigit() else 0
