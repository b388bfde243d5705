from tests.queue.test_worker import *  # noqa: F403 - collected again, with this folder's fixtures
