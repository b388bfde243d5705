"""`python -m tests.chaos.harassed_worker`: `quoth work` that can be made to stand still inside.

SIGUSR1 blocks the event loop, SIGUSR2 holds the interpreter: for half a second up to more than a
lease. To whoever looks from outside, the first still beats and the second does not.
"""

import ctypes
import random
import signal
import sys

from quoth.cli.main import main

SHORTEST, LONGEST = 0.5, 7.0

# Called through `PyDLL` a function keeps the interpreter's lock, and through `CDLL` it does not.
# No `time.sleep`: where the time of day is shifted, it asks for an instant that is none.
holding, letting_go = ctypes.PyDLL(None), ctypes.CDLL(None)


def block_the_loop(number: int, frame: object) -> None:
    """Python runs a handler in the main thread, which is the loop's; other threads go on."""
    letting_go.usleep(microseconds())


def hold_the_interpreter(number: int, frame: object) -> None:
    """No thread of this process runs meanwhile, the beat's included."""
    holding.usleep(microseconds())


def microseconds() -> int:
    return int(random.uniform(SHORTEST, LONGEST) * 1_000_000)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, block_the_loop)
    signal.signal(signal.SIGUSR2, hold_the_interpreter)
    sys.argv[1:] = ["work"]
    main()
