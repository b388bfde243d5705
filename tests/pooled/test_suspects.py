from tests.queue.test_suspects import *  # noqa: F403 - collected again, with this folder's fixtures
