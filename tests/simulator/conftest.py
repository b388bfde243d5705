from collections.abc import AsyncIterator

import pytest
from httpx2 import AsyncClient
from openai import AsyncOpenAI
from perplexity import AsyncPerplexity

from quoth.simulator.serve import Simulator, serve_simulator


@pytest.fixture(scope="session")
async def served() -> AsyncIterator[Simulator]:
    async with serve_simulator(seed=7, speed=1_000) as simulator:
        yield simulator


@pytest.fixture
def simulator(served: Simulator) -> Simulator:
    served.world.ledger.reset()
    served.world.faults.clear()
    return served


@pytest.fixture
async def http(simulator: Simulator) -> AsyncIterator[AsyncClient]:
    key = {"authorization": "Bearer key"}
    async with AsyncClient(base_url=simulator.url, headers=key, timeout=5) as client:
        yield client


@pytest.fixture
async def openai(simulator: Simulator) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(
        api_key="key", base_url=simulator.openai_url, max_retries=0, timeout=5
    ) as client:
        yield client


@pytest.fixture
async def perplexity(simulator: Simulator) -> AsyncIterator[AsyncPerplexity]:
    async with AsyncPerplexity(
        api_key="key", base_url=simulator.perplexity_url, max_retries=0, timeout=5
    ) as client:
        yield client
