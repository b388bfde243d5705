"""Real TCP: an HTTP server protocol that lets a handler reach the connection it answers on."""

import asyncio
import socket
import struct
import sys
from typing import cast

from starlette.types import Receive, Scope

if sys.platform == "win32":
    from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol
else:
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as HttpProtocol

_CONNECTION = "connection"
# Lingering for no time at all makes the kernel send RST where it would send FIN.
_NO_LINGER = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


class ReachableProtocol(HttpProtocol):
    """Puts the connection into the state of each request's scope. Logs no requests."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember the connection."""
        # uvloop's transports are transports in all but their class.
        connection = cast("asyncio.Transport", transport)
        super().connection_made(connection)
        self.app_state = {**self.app_state, _CONNECTION: connection}
        self.access_log = False


def reset(scope: Scope) -> None:
    """Break the connection: whatever was written and not yet sent is lost too."""
    transport = _connection(scope)
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    transport.abort()


def close(scope: Scope) -> None:
    """End the connection after what was written, as if that were all."""
    _connection(scope).close()


def _connection(scope: Scope) -> asyncio.Transport:
    connection = scope.get("state", {}).get(_CONNECTION)
    if connection is None:
        raise ConnectionResetError("not served over a connection of ours")
    return cast("asyncio.Transport", connection)


async def gone(receive: Receive, *, within: float | None = None) -> bool:
    """Wait until the caller has hung up, `within` seconds at most; return whether it has."""
    try:
        async with asyncio.timeout(within):
            while (await receive())["type"] != "http.disconnect":
                pass
    except TimeoutError:
        return False
    return True
