from tests.queue.test_lanes import *  # noqa: F403 - collected again, with this folder's fixtures
