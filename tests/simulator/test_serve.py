import asyncio
import signal
import sys
import time
from asyncio.subprocess import PIPE

import pytest
from httpx2 import AsyncClient, Limits, ReadError, RemoteProtocolError

from quoth.simulator.app import create_app
from quoth.simulator.chance import Latency, dice
from quoth.simulator.serve import serve_simulator
from tests.simulator.asking import create, poll, purchases

KEY = {"authorization": "Bearer key"}

PROCESS = """
from quoth.simulator.serve import run_simulator, serve_simulator
run_simulator(
    serve_simulator(speed=50), ready=lambda simulator: print(simulator.url, flush=True)
)
"""


async def test_it_ends_at_once_though_calls_hang() -> None:
    async with (
        serve_simulator(speed=1_000) as simulator,
        AsyncClient(base_url=simulator.url, headers=KEY) as http,
    ):
        await http.post("/control/faults", json={"kind": "hang", "times": "all"})
        call = asyncio.create_task(create(http, "chatgpt", "CRM?"))
        await asyncio.sleep(0.1)
        began = time.monotonic()

    assert time.monotonic() - began < 2
    with pytest.raises((ReadError, RemoteProtocolError)):
        await call


async def test_an_address_in_use_is_an_os_error() -> None:
    async with serve_simulator() as simulator:
        port = int(simulator.url.rsplit(":", 1)[1])

        with pytest.raises(OSError, match=r"in use|only one usage"):
            async with serve_simulator(port=port):
                pass


async def test_each_engine_has_its_base_url() -> None:
    async with serve_simulator() as simulator:
        assert simulator.openai_url == simulator.url_of("chatgpt") == f"{simulator.url}/openai/v1"
        assert simulator.perplexity_url == f"{simulator.url}/perplexity"


def test_a_speed_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="speed"):
        create_app(speed=0)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
async def test_a_process_of_its_own_ends_when_it_is_told_to(told: signal.Signals) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROCESS, stdout=PIPE, stderr=PIPE
    )
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip()
    async with AsyncClient(base_url=url, headers=KEY) as http:
        assert (await create(http, "chatgpt", "CRM?")).status_code == 200

    process.send_signal(told)
    _, complaints = await process.communicate()

    assert (process.returncode, complaints) == (0, b"")


async def test_a_thousand_jobs_run_at_once_and_all_end() -> None:
    limits = Limits(max_connections=50)
    async with (
        serve_simulator(speed=100) as simulator,
        AsyncClient(base_url=simulator.url, headers=KEY, limits=limits, timeout=60) as http,
    ):
        prompt = "CRM? [[fault:stuck times=all]]"
        created = await asyncio.gather(*(create(http, "chatgpt", prompt) for _ in range(1_000)))
        ids = [reply.json()["id"] for reply in created]
        spans = (await http.get("/control/spans")).json()["chatgpt"]
        for purchase in simulator.world.ledger.purchases.values():
            purchase.ends_at = time.time()
        ended = await asyncio.gather(*(poll(http, "chatgpt", known) for known in ids))

        assert spans["most_jobs_at_once"] == 1_000
        assert {reply.json()["status"] for reply in ended} == {"completed"}
        assert len(await purchases(http)) == 1_000


def test_latencies_are_like_the_real_ones() -> None:
    latency = Latency(low=11, high=51, longest_queue=1.5)

    drawn = sorted(latency.draw(dice(number), speed=1)[1] for number in range(1_000))

    assert 9 < drawn[25] < 14
    assert 22 < drawn[500] < 28
    assert 45 < drawn[975] < 60
    slow, fast = (latency.draw(dice(1), speed=speed)[1] for speed in (1, 50))
    assert slow == pytest.approx(fast * 50)
