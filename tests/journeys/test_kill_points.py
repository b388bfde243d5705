"""A worker process is killed at every step between "row written" and "answer saved"."""

import asyncio
import signal
import time
from asyncio.subprocess import Process
from collections import Counter
from dataclasses import dataclass

import pytest

from quoth.simulator.faults import Fault
from quoth.simulator.serve import Simulator, serve_simulator
from quoth.storage import Database, Statement
from tests.journeys.checks import begin_check
from tests.journeys.dying_worker import STEPS
from tests.journeys.processes import Processes, until_over

pytestmark = pytest.mark.slow

ENGINES = ("chatgpt", "perplexity")
# Slow enough that the first poll finds both still thinking.
SPEED = {"chatgpt": 40, "perplexity": 20}
CAPTURES = 3

BEGUN = Statement(b"select state from queue.job where state <> 'pending'")
ATTEMPTS = Statement(
    b"""
    select prompt_revision.text as question, attempt.state, attempt.possibly_paid,
           attempt.engine_ref
      from capture.attempt
      join capture.capture
        on capture.id = attempt.capture_id
      join capture.prompt_revision
        on prompt_revision.prompt_id = capture.prompt_id
       and prompt_revision.revision = capture.prompt_revision
     order by attempt.id
    """
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the rows say of one outward call."""

    question: str
    state: str
    possibly_paid: bool
    engine_ref: str | None


@dataclass(frozen=True, slots=True)
class Scene:
    """What a death left: the engine's side, the one job that was begun, and its attempts."""

    engine: str
    job: str
    attempts: tuple[str, ...] = ()


UNTOLD = Scene("nothing", "claimed")
UNSENT = Scene("nothing", "running", ("sending",))
UNKNOWN = Scene("bought", "running", ("sending",))
ANSWERING = Scene("over", "running", ("accepted",))

# So that a step that moves in the product is not silently another one here.
SCENES = {
    "claimed": UNTOLD,
    "attempt written, not committed": UNTOLD,
    "attempt committed, not sent": UNSENT,
    "sent, reply not read": UNKNOWN,
    "id known, not kept": UNKNOWN,
    "id written, not committed": UNKNOWN,
    "id kept": Scene("bought", "running", ("accepted",)),
    "collecting": Scene("polled", "running", ("accepted",)),
    "answer here, not read": ANSWERING,
    "answer read, not written": ANSWERING,
    "answer written, not committed": ANSWERING,
    "answer committed": Scene("over", "done", ("answered",)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("step", STEPS)
async def test_killed_at(step: str, engine: str, database: Database, processes: Processes) -> None:
    async with serve_simulator(speed=SPEED[engine]) as simulator:
        await begin_check(database, engine, CAPTURES)
        # One at a time: whatever is bought or admitted is this capture's.
        dying = await processes.start(
            step, module="tests.journeys.dying_worker", asking=simulator, QUOTH_POOL="1"
        )
        await dead(dying)
        scene = await look_round(database, simulator)
        assert scene == SCENES[step]

        await processes.start("work", asking=simulator)

        await nothing_lost_or_doubled(database, simulator, scene)


@pytest.mark.parametrize("engine", ENGINES)
async def test_killed_while_the_engine_owes_the_reply(
    engine: str, database: Database, processes: Processes
) -> None:
    """The one step that only the engine knows of: so it is the engine's side that kills."""
    async with serve_simulator(speed=SPEED[engine]) as simulator:
        simulator.world.faults.add(Fault("hang", bought=True))
        await begin_check(database, engine, CAPTURES)
        dying = await processes.start("work", asking=simulator, QUOTH_POOL="1")
        async with asyncio.timeout(30):
            while not simulator.world.ledger.purchases:  # noqa: ASYNC110 - a dict tells nobody
                await asyncio.sleep(0.01)
        dying.kill()
        await dead(dying)
        scene = await look_round(database, simulator)
        assert scene == UNKNOWN

        await processes.start("work", asking=simulator)

        await nothing_lost_or_doubled(database, simulator, scene)


async def dead(worker: Process) -> None:
    """Wait until it was killed; that it never got to its step is a failure."""
    try:
        async with asyncio.timeout(30):
            assert await worker.wait() == -signal.SIGKILL
    except TimeoutError:
        pytest.fail("the worker never got to the step")


async def look_round(database: Database, simulator: Simulator) -> Scene:
    async with database.autocommit() as tx:
        [job] = await tx.values(BEGUN)
        attempts = await tx.all(Attempt, ATTEMPTS)
    return Scene(engine_side(simulator), job, tuple(attempt.state for attempt in attempts))


def engine_side(simulator: Simulator) -> str:
    purchases = list(simulator.world.ledger.purchases.values())
    if not purchases:
        return "nothing"
    [purchase] = purchases
    if not purchase.polls:
        return "bought"
    return "over" if purchase.status(time.time()) == "ended" else "polled"


async def nothing_lost_or_doubled(database: Database, simulator: Simulator, scene: Scene) -> None:
    """In the end: one answer a capture, and all that was bought beyond is admitted where it was."""
    left = await until_over(database, CAPTURES)
    async with database.autocommit() as tx:
        attempts = await tx.all(Attempt, ATTEMPTS)
    purchases = simulator.world.ledger.purchases
    answered = {one.engine_ref: one.question for one in attempts if one.state == "answered"}
    admitted = Counter(one.question for one in attempts if one.possibly_paid)
    bought = Counter(purchase.order.question for purchase in purchases.values())

    assert left.outcomes == ["answered"] * CAPTURES
    assert left.answers == CAPTURES
    assert len(set(answered.values())) == len(answered) == CAPTURES
    assert answered.keys() <= purchases.keys()
    # A row that says `sending` cannot know how far the process got: admitted either way.
    assert admitted.total() == scene.attempts.count("sending")
    assert bought - Counter(answered.values()) == (
        admitted if scene.engine != "nothing" else Counter()
    )
