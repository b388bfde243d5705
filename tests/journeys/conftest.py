"""Processes that end with their test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quoth.storage.addresses import Addresses
from tests.journeys.processes import Processes


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where one start leaves its byte code to the next."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
async def processes(addresses: Addresses, compiled: Path) -> AsyncIterator[Processes]:
    """Start processes on the test's database; none outlives the test, however that ends.

    A fixture, because a test that takes too long is left where it stands: its own `finally` and
    `async with` are not gone through before the whole session ends.
    """
    started = Processes(addresses, compiled)
    try:
        yield started
    finally:
        await started.end()
