"""The engines that this process can ask: real ones with a key, or the simulator's."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from quoth.app.errors import CannotStart
from quoth.capture.engines import EngineInfo, Engines
from quoth.providers.contract import SIMULATOR, Provider
from quoth.providers.registry import ADAPTERS, Adapter, ProviderSettings, open_provider
from quoth.settings.catalogue import of_engine
from quoth.settings.values import EngineSettings, Settings
from quoth.simulator.engines import ENGINES
from quoth.simulator.serve import serve_simulator

# The demo's engines are as uneven as the real ones, but nobody waits a minute for a first look.
DEMO_SPEED = 5.0
DEMO_POLL = timedelta(seconds=0.2)
# What the simulator takes for a key.
SIMULATED_KEY = "simulated-key"
JOURNAL = "simulator.jsonl"


@dataclass(frozen=True, slots=True)
class Simulated:
    """A simulator to ask, and how often."""

    urls: Mapping[str, str]
    poll_floor: timedelta


@asynccontextmanager
async def open_engines(settings: Settings, *, demo: bool) -> AsyncIterator[Engines]:
    """Open all that can be asked; their connections close with the block."""
    async with AsyncExitStack() as stack:
        simulated = await _simulated(stack, settings, demo=demo)
        ready: dict[str, Provider] = {}
        for name, adapter in ADAPTERS.items():
            given = _given(adapter, settings.engines[name], simulated)
            if given is not None:
                ready[name] = await _open(stack, adapter, given)
        yield Engines(ready, known_engines())


def known_engines() -> dict[str, EngineInfo]:
    """Every engine there is an adapter for."""
    return {
        name: EngineInfo(name, adapter.title, of_engine(name).api_key.variable)
        for name, adapter in ADAPTERS.items()
    }


async def _simulated(stack: AsyncExitStack, settings: Settings, *, demo: bool) -> Simulated | None:
    if settings.simulator_url is not None:
        root = settings.simulator_url.rstrip("/")
        return Simulated({engine.name: root + engine.base for engine in ENGINES}, DEMO_POLL)
    if not demo:
        return None
    simulator = await stack.enter_async_context(
        serve_simulator(speed=DEMO_SPEED, journal=_journal(settings.data_dir))
    )
    return Simulated({engine.name: simulator.url_of(engine.name) for engine in ENGINES}, DEMO_POLL)


def _journal(data_dir: Path) -> Path:
    """Where the simulator remembers what was bought, so that a restart can re-attach."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(f"{data_dir} cannot be made: {error.strerror}.") from error
    return data_dir / JOURNAL


def _given(
    adapter: Adapter, settings: EngineSettings, simulated: Simulated | None
) -> ProviderSettings | None:
    if simulated is not None:
        return ProviderSettings(
            api_key=SIMULATED_KEY,
            base_url=simulated.urls[adapter.engine],
            model=settings.model,
            create=settings.create_timeout,
            deadline=settings.deadline,
            slots=settings.slots,
            per_minute=settings.per_minute,
            surface=SIMULATOR,
            poll_floor=simulated.poll_floor,
        )
    if settings.api_key is None:
        return None
    return ProviderSettings(
        api_key=settings.api_key,
        base_url=settings.base_url,
        model=settings.model,
        proxy=settings.proxy,
        ca_bundle=str(settings.ca_bundle) if settings.ca_bundle else None,
        create=settings.create_timeout,
        deadline=settings.deadline,
        slots=settings.slots,
        per_minute=settings.per_minute,
    )


async def _open(stack: AsyncExitStack, adapter: Adapter, given: ProviderSettings) -> Provider:
    try:
        return await stack.enter_async_context(open_provider(adapter, given))
    except ValueError as error:
        raise CannotStart(f"{adapter.title}: {error}.") from error
    except OSError as error:
        raise CannotStart(
            f"{adapter.title}: its CA bundle {given.ca_bundle} cannot be read: {error.strerror}."
        ) from error
