"""Every adapter against every fault, over real HTTP against the simulator.

A new engine is in these tests by its line in the registry and its module in the simulator.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

import pytest

from quoth.providers.contract import (
    SIMULATOR,
    Accepted,
    AccountProblem,
    Busy,
    Faulty,
    Gone,
    Provider,
    ProviderError,
    Question,
    Raw,
    Rejected,
    Unknown,
    WrongModel,
)
from quoth.providers.registry import ADAPTERS
from quoth.simulator.faults import FATES, KINDS
from quoth.simulator.serve import Simulator, serve_simulator
from tests.providers.scripted import asking

QUICK: dict[str, Any] = {
    "surface": SIMULATOR,
    "create": timedelta(seconds=0.5),
    "poll_floor": timedelta(milliseconds=2),
}

# What the paid call ends with when its reply is spoilt. The reply to a call that was taken is
# worth nothing only where the id did not come through.
ON_CREATE: dict[str, type[ProviderError] | type[Accepted]] = {
    "400": Rejected,
    "401": AccountProblem,
    "402": AccountProblem,
    "403": AccountProblem,
    "404": Rejected,
    "408": Busy,
    "409": Busy,
    "422": Rejected,
    "429": Busy,
    "500": Busy,
    "502": Busy,
    "503": Busy,
    "504": Unknown,
    "520": Unknown,
    "522": Busy,
    "524": Unknown,
    "drip": Accepted,
    "empty": Unknown,
    "hang": Unknown,
    "html": Unknown,
    "malformed": Accepted,
    "overloaded": Busy,
    "quota": AccountProblem,
    "reset": Unknown,
    "truncated": Accepted,
}

# What a poll that goes wrong means for an answer that is bought: nothing, but for these.
ENDS_THE_WAIT: dict[str, type[ProviderError]] = {
    "400": Rejected,
    "401": AccountProblem,
    "402": AccountProblem,
    "403": AccountProblem,
    "422": Rejected,
    "quota": AccountProblem,
}

# What became of the job itself: a finding, or what reading it raises.
OF_FATES: dict[str, str | type[ProviderError]] = {
    "failed": Faulty,
    "failed detail=rate_limit_exceeded": Busy,
    "failed detail=insufficient_quota": AccountProblem,
    "failed detail=invalid_prompt": "refused",
    "incomplete": "incomplete",
    "incomplete detail=nothing": "incomplete",
    "incomplete detail=content_filter": "refused",
    "refusal": "refused",
    "reasoning": "empty",
    "model": WrongModel,
    "nosearch": "answered_without_search",
    "nocitations": "answered",
    "slow seconds=0.1": "answered",
}

engines = pytest.mark.parametrize("engine", ADAPTERS)


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[Simulator]:
    async with serve_simulator(port=0, seed=1, speed=500) as simulator:
        yield simulator


@pytest.fixture
def simulator(served: Simulator) -> Simulator:
    served.world.faults.clear()
    served.world.ledger.reset()
    return served


@pytest.fixture
async def provider(engine: str, simulator: Simulator) -> AsyncIterator[Provider]:
    async with asking(engine, simulator.url_of(engine), **QUICK) as opened:
        yield opened


def question(fault: str = "") -> Question:
    marker = f" [[fault:{fault}]]" if fault else ""
    return Question(f"Какой банк лучше для ИП?{marker}", "ru", "RU", "quoth-1")


def bought(simulator: Simulator) -> int:
    return len(simulator.world.ledger.purchases)


async def collected(provider: Provider, ref: str) -> Raw:
    async with asyncio.timeout(20):
        return await provider.collect(ref)


@engines
async def test_an_answer_comes_with_its_sources(simulator: Simulator, provider: Provider) -> None:
    accepted = await provider.send(question())
    reply = provider.read(await collected(provider, accepted.ref))

    assert (reply.finding, reply.searched) == ("answered", True)
    assert reply.text
    assert reply.queries
    assert any(link.used for link in reply.links)
    for link in reply.links:
        assert link.start is None or reply.text[link.start : link.end]
    assert reply.usage
    assert bought(simulator) == 1


def test_every_fault_that_the_simulator_knows_is_tried() -> None:
    assert set(ON_CREATE) == KINDS - FATES
    assert set(ENDS_THE_WAIT) < KINDS
    assert {fate.split()[0] for fate in OF_FATES} | {"stuck"} == FATES


@engines
@pytest.mark.parametrize("kind", sorted(ON_CREATE))
async def test_a_paid_call_that_goes_wrong(
    simulator: Simulator, provider: Provider, kind: str
) -> None:
    expected = ON_CREATE[kind]
    options = " seconds=0.1" if kind == "drip" else ""

    outcome: object
    try:
        outcome = await provider.send(question(kind + options))
    except ProviderError as error:
        outcome = error

    assert type(outcome) is expected
    if isinstance(outcome, Accepted):
        # Whatever happened to the reply, what was bought is collected.
        reply = provider.read(await collected(provider, outcome.ref))
        assert reply.finding == "answered"
        assert bought(simulator) == 1
    else:
        # Nothing but an unknown outcome may hide a purchase, and nothing buys twice.
        assert bought(simulator) <= (1 if expected is Unknown else 0)


@engines
async def test_a_reset_after_the_call_was_taken_leaves_a_possible_purchase(
    simulator: Simulator, provider: Provider
) -> None:
    with pytest.raises(Unknown):
        await provider.send(question("reset bought=yes"))

    assert bought(simulator) == 1


@engines
@pytest.mark.parametrize("kind", ["429", "503"])
async def test_a_refusal_tells_when_to_come_back(provider: Provider, kind: str) -> None:
    with pytest.raises(Busy) as refused:
        await provider.send(question(f"{kind} after=7"))

    assert refused.value.after == timedelta(seconds=7)


@engines
@pytest.mark.parametrize("kind", sorted(KINDS - FATES - set(ENDS_THE_WAIT) - {"hang"}))
async def test_a_poll_that_goes_wrong_loses_nothing(
    simulator: Simulator, provider: Provider, kind: str
) -> None:
    options = " seconds=0.1" if kind == "drip" else ""
    accepted = await provider.send(question(f"{kind} on=poll times=2{options}"))

    reply = provider.read(await collected(provider, accepted.ref))

    assert reply.finding == "answered"
    assert bought(simulator) == 1


@engines
@pytest.mark.parametrize("kind", sorted(ENDS_THE_WAIT))
async def test_a_poll_that_ends_the_wait_leaves_the_id_good(provider: Provider, kind: str) -> None:
    accepted = await provider.send(question(f"{kind} on=poll"))

    with pytest.raises(ENDS_THE_WAIT[kind]):
        await collected(provider, accepted.ref)

    assert provider.read(await collected(provider, accepted.ref)).finding == "answered"


@engines
async def test_an_id_that_nobody_knows_is_gone(provider: Provider) -> None:
    with pytest.raises(Gone):
        await collected(provider, "resp_never_bought")


@engines
@pytest.mark.parametrize("fate", OF_FATES)
async def test_what_became_of_the_job(provider: Provider, fate: str) -> None:
    accepted = await provider.send(question(fate))
    raw = await collected(provider, accepted.ref)

    found: object
    try:
        found = provider.read(raw).finding
    except ProviderError as error:
        found = type(error)

    assert found == OF_FATES[fate]


@engines
async def test_a_job_that_never_ends_is_waited_for_until_the_caller_gives_up(
    provider: Provider,
) -> None:
    accepted = await provider.send(question("stuck"))

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await provider.collect(accepted.ref)

    await provider.cancel(accepted.ref)
    with pytest.raises(Faulty, match="cancelled"):
        provider.read(await collected(provider, accepted.ref))


@engines
async def test_a_cancel_of_what_is_over_or_unknown_is_no_error(provider: Provider) -> None:
    accepted = await provider.send(question())
    await collected(provider, accepted.ref)

    await provider.cancel(accepted.ref)
    await provider.cancel(accepted.ref)
    await provider.cancel("resp_never_bought")


@engines
async def test_another_process_re_attaches_to_what_was_bought(
    engine: str, simulator: Simulator
) -> None:
    async with asking(engine, simulator.url_of(engine), **QUICK) as first:
        accepted = await first.send(question())
    async with asking(engine, simulator.url_of(engine), **QUICK) as second:
        replies = [second.read(await collected(second, accepted.ref)) for _ in range(2)]

    assert replies[0] == replies[1]
    assert bought(simulator) == 1


@engines
async def test_the_simulator_is_never_taken_for_the_engine(
    engine: str, simulator: Simulator
) -> None:
    async with asking(engine, simulator.url_of(engine), **(QUICK | {"surface": None})) as real:
        for wait in (real.send(question()), real.collect("resp_1")):
            with pytest.raises(WrongModel, match="a simulator answered"):
                await wait


async def test_a_hundred_at_each_engine_at_once_are_bought_once_each(simulator: Simulator) -> None:
    async def answer(provider: Provider, number: int) -> str:
        accepted = await provider.send(Question(f"Банк для ИП №{number}?", "ru", "RU", "x"))
        return provider.read(await collected(provider, accepted.ref)).finding

    async with AsyncExitStack() as stack:
        providers = [
            await stack.enter_async_context(
                asking(
                    engine, simulator.url_of(engine), **QUICK | {"create": timedelta(seconds=20)}
                )
            )
            for engine in ADAPTERS
        ]
        findings = await asyncio.gather(
            *(answer(provider, number) for provider in providers for number in range(100))
        )

    assert Counter(findings) == {"answered": 100 * len(ADAPTERS)}
    assert bought(simulator) == 100 * len(ADAPTERS)
