from tests.queue.test_claim import *  # noqa: F403 - collected again, with this folder's fixtures
