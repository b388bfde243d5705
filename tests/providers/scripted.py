"""A server that plays one scripted scene a connection: broken networks as well as replies."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

from quoth.providers.contract import Provider
from quoth.providers.http import Wire
from quoth.providers.registry import (
    ADAPTERS,
    POLL_FLOOR,
    ProviderSettings,
    open_provider,
    route_of,
)

Scene = Callable[[asyncio.StreamWriter], Awaitable[None]]

KEY = "sk-never-to-be-seen"


@dataclass(slots=True)
class Scripted:
    """What was asked, and what is played next; the last scene repeats."""

    port: int
    scenes: list[Scene]
    asked: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    connections: int = 0
    heard: asyncio.Queue[None] = field(default_factory=asyncio.Queue)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def scripted(*scenes: Scene, tls: ssl.SSLContext | None = None) -> AsyncIterator[Scripted]:
    served: set[asyncio.Task[None]] = set()
    script = Scripted(0, list(scenes))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        served.add(task)
        script.connections += 1
        try:
            while await play(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # swallowed: the stream's own callback would call a cancellation an error
        finally:
            writer.close()

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.strip().split("\r\n")
        headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        method, path, _ = first.split(" ")
        script.asked.append((method, path, headers, json.loads(body) if body else None))
        script.heard.put_nowait(None)
        scene = script.scenes.pop(0) if len(script.scenes) > 1 else script.scenes[0]
        await scene(writer)
        await writer.drain()
        return not writer.is_closing()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    script.port = server.sockets[0].getsockname()[1]
    try:
        yield script
    finally:
        server.close()
        for task in served:
            task.cancel()
        await asyncio.gather(*served)
        await server.wait_closed()


def reply(status: int, body: object = b"", **headers: str) -> Scene:
    """A whole reply; `body` is JSON unless it is bytes. Header names with `_` for `-`."""
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()
    told = {"content-type": "application/json", "content-length": str(len(payload))}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}

    async def scene(writer: asyncio.StreamWriter) -> None:
        writer.write(_head(status, told) + payload)

    return scene


def cut(body: bytes, *, of: int = 10_000) -> Scene:
    """A success that promises `of` bytes and breaks off after `body`."""

    async def scene(writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, {"content-length": str(of)}) + body)
        await writer.drain()
        writer.close()

    return scene


def drip(body: bytes) -> Scene:
    """A success that comes a byte at a time, for ever slower than anyone waits."""

    async def scene(writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, {"content-length": "100000"}) + body)
        while not writer.is_closing():
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    return scene


async def reset(writer: asyncio.StreamWriter) -> None:
    """The connection dies without a word."""
    writer.transport.abort()


async def hang(writer: asyncio.StreamWriter) -> None:
    """Nothing comes, for as long as the other side waits."""
    await writer.wait_closed()


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{k}: {v}" for k, v in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@asynccontextmanager
async def asking(engine: str, url: str, **settings: Any) -> AsyncIterator[Provider]:
    """A provider of `engine` that asks at `url` and polls quickly."""
    quick: dict[str, Any] = {"base_url": url, "poll_floor": timedelta(milliseconds=5)}
    wanted = ProviderSettings(KEY, **(quick | settings))
    async with open_provider(ADAPTERS[engine], wanted) as provider:
        yield provider


def reader(engine: str, model: str) -> Provider:
    """A provider that only reads: it is wired to nothing."""
    adapter = ADAPTERS[engine]
    settings = ProviderSettings(KEY, model=model)
    return adapter.build(cast(Wire, None), route_of(adapter, settings), POLL_FLOOR)
