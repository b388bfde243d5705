from tests.queue.test_model import *  # noqa: F403 - collected again, with this folder's fixtures
