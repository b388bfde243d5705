"""Which engines there are: one line each. A new one is its module and its line, nothing else."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from quoth.providers.chatgpt import ChatGPT
from quoth.providers.contract import Provider, Route
from quoth.providers.http import Way, Wire, open_wire
from quoth.providers.perplexity import Perplexity

CREATE = timedelta(seconds=30)
SLOTS = 4
POLL_FLOOR = timedelta(seconds=0.5)


@dataclass(frozen=True, slots=True)
class Adapter:
    """An engine that we can ask, and how it is asked where the settings do not say otherwise."""

    engine: str
    title: str
    surface: str
    base_url: str
    model: str
    deadline: timedelta
    build: Callable[[Wire, Route, timedelta], Provider]
    create: timedelta = CREATE
    slots: int = SLOTS


ADAPTERS: Mapping[str, Adapter] = {
    adapter.engine: adapter
    for adapter in (
        Adapter("chatgpt", "ChatGPT", "openai-responses", "https://api.openai.com/v1", "gpt-5.6", timedelta(minutes=30), ChatGPT),  # noqa: E501
        Adapter("perplexity", "Perplexity", "perplexity-agent", "https://api.perplexity.ai", "perplexity/sonar", timedelta(minutes=15), Perplexity),  # noqa: E501
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """How one engine is asked in this installation; None leaves it to the adapter.

    `surface` is `simulator` where `base_url` is the simulator's, so that what it answers never
    passes for the engine's. `poll_floor` is the shortest wait between two polls.
    """

    api_key: str = field(repr=False)
    base_url: str | None = None
    model: str | None = None
    # May hold a password.
    proxy: str | None = field(default=None, repr=False)
    ca_bundle: str | None = None
    create: timedelta | None = None
    deadline: timedelta | None = None
    slots: int | None = None
    per_minute: int | None = None
    surface: str | None = None
    poll_floor: timedelta = POLL_FLOOR


def route_of(adapter: Adapter, settings: ProviderSettings) -> Route:
    """Return the way by which `adapter` asks under `settings`."""
    return Route(
        engine=adapter.engine,
        surface=settings.surface or adapter.surface,
        model=settings.model or adapter.model,
        create=settings.create or adapter.create,
        deadline=settings.deadline or adapter.deadline,
        slots=settings.slots or adapter.slots,
        per_minute=settings.per_minute,
    )


@asynccontextmanager
async def open_provider(adapter: Adapter, settings: ProviderSettings) -> AsyncIterator[Provider]:
    """Open an engine for asking; its connections close with the block.

    Raises `ValueError` for a base URL, proxy or key that can never work, `OSError` for a CA bundle
    that cannot be read.
    """
    route = route_of(adapter, settings)
    base_url = settings.base_url or adapter.base_url
    way = Way(base_url, settings.api_key, settings.proxy, settings.ca_bundle)
    async with open_wire(way, surface=route.surface, create=route.create) as wire:
        yield adapter.build(wire, route, settings.poll_floor)
