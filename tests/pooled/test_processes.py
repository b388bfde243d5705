from tests.journeys.conftest import compiled, processes  # noqa: F401 - fixtures
from tests.journeys.test_processes import *  # noqa: F403 - collected again, with this folder's fixtures
