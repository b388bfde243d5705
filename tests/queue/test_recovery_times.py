"""What a death costs in time. The bounds leave room for a busy machine; the figures themselves:
`python -m tests.queue.recovery_times`.
"""

from pathlib import Path

import pytest

from quoth.storage import Database
from quoth.storage.addresses import Addresses
from tests.journeys.conftest import compiled  # noqa: F401 - a fixture
from tests.queue.recovery_times import attached_again, median, restarted, taken_over

pytestmark = pytest.mark.slow

DIRECT_OR_NONE = pytest.mark.parametrize("way", ["direct", "none"])


@pytest.fixture
def addresses(way: str, database_url: str) -> Addresses:
    """With a direct way to the server, or as if a pooler were the only one."""
    return Addresses(database_url, database_url if way == "direct" else None)


@pytest.mark.parametrize("way", ["direct"])
@pytest.mark.parametrize("does", ["wait", "sleep"])
async def test_the_only_worker_is_killed_and_started_again(
    database: Database, addresses: Addresses, does: str
) -> None:
    """A missed beat, a look, and for a call that died with its process a part of a second more."""
    assert await median(lambda: restarted(database, addresses, does), 3) < 3.5


@DIRECT_OR_NONE
async def test_another_worker_takes_over(
    database: Database, addresses: Addresses, way: str
) -> None:
    """Its lock gone proves a death; silence alone is one after a lease."""
    assert await taken_over(database, addresses, "wait") < {"direct": 3.5, "none": 7.5}[way]


@DIRECT_OR_NONE
async def test_the_answer_that_a_killed_process_bought_is_asked_for_by_another(
    database: Database,
    addresses: Addresses,
    way: str,
    compiled: Path,  # noqa: F811 - the fixture
) -> None:
    took = await attached_again(database, addresses, compiled, others=1)

    assert took < {"direct": 4, "none": 8}[way]
