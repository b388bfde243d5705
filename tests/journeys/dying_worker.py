"""`python -m tests.journeys.dying_worker STEP`: `quoth work` that is killed when it gets to a step.

By SIGKILL, from within: nothing is closed, flushed or told to anybody, as when the machine goes.
"""

import os
import signal
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Literal, NoReturn

from quoth.cli.main import main

When = Literal["before", "after"]

# Each step between "row written" and "answer saved": which function of the product it is at, and
# whether the end comes before it does anything or once it has done all. The first call counts.
STEPS: dict[str, tuple[str, When]] = {
    "claimed": ("quoth.queue.worker:claim_jobs", "after"),
    "attempt written, not committed": ("quoth.capture.ask_engine:open_attempt", "after"),
    "attempt committed, not sent": ("quoth.providers.http:exchange", "before"),
    "sent, reply not read": ("quoth.providers.http:exchange", "after"),
    "id known, not kept": ("quoth.queue.hold:Hold.checkpoint", "before"),
    "id written, not committed": ("quoth.capture.ask_engine:accept_attempt", "after"),
    "id kept": ("quoth.queue.hold:Hold.checkpoint", "after"),
    "collecting": ("quoth.providers.http:Wire.get", "after"),
    "answer here, not read": ("quoth.providers.poll:Polling.until_over", "after"),
    "answer read, not written": ("quoth.queue.finisher:finish", "before"),
    "answer written, not committed": ("quoth.capture.ask_engine:save_answer", "after"),
    "answer committed": ("quoth.queue.finisher:finish", "after"),
}


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("SIGKILL has no after")


def arm(step: str) -> None:
    """Put the end where the step is."""
    path, when = STEPS[step]
    module, _, names = path.partition(":")
    *owners, name = names.split(".")
    owner: object = import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    setattr(owner, name, deadly(getattr(owner, name), when))


def deadly(
    function: Callable[..., Awaitable[object]], when: When
) -> Callable[..., Awaitable[object]]:
    async def step(*arguments: object, **named: object) -> object:
        if when == "before":
            die()
        result = await function(*arguments, **named)
        # A claim that found nothing has claimed nothing.
        if result != []:
            die()
        return result

    return step


if __name__ == "__main__":
    arm(sys.argv[1])
    sys.argv[1:] = ["work"]
    main()
