from tests.queue.test_reap import *  # noqa: F403 - collected again, with this folder's fixtures
