from tests.queue.test_finish import *  # noqa: F403 - collected again, with this folder's fixtures
