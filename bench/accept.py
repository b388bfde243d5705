"""How long a check takes to be accepted by the API, workers running beside it."""

import time
from collections.abc import AsyncIterator
from typing import Any

from httpx2 import AsyncClient

from bench.installation import fresh_database, serve, simulator
from bench.results import Result, against_target, percentile

WARM_UP = 10


async def accept() -> AsyncIterator[Result]:
    """`POST /api/v1/checks` over one kept connection, the same prompts each time."""
    for name, prompts, requests, target in (
        ("accept_32_p99", 8, 300, 15.0),
        ("accept_1000_p99", 250, 100, 100.0),
    ):
        took = await _accept(prompts, requests)
        about = (
            f"median {percentile(took, 0.5):.1f}, worst {max(took):.1f} ms of {len(took)}, "
            "workers asking engines as slow as real ones meanwhile"
        )
        yield against_target(name, percentile(took, 0.99), "ms", target, about)


async def _accept(prompts: int, requests: int) -> list[float]:
    body: dict[str, Any] = {
        "brand": {"name": "Точка", "domains": ["tochka.com"]},
        "competitors": [{"name": "Сбербанк"}],
        "prompts": [{"text": f"Лучший банк для ИП, вопрос {n}?"} for n in range(prompts)],
        "engines": ["chatgpt", "perplexity"],
        "samples": 2,
    }
    took = []
    async with (
        fresh_database() as database_url,
        simulator(1) as engines,
        serve(database_url, engines.url) as server,
        AsyncClient(base_url=server.url, timeout=30) as client,
    ):
        for _ in range(WARM_UP + requests):
            began = time.perf_counter()
            reply = await client.post("/api/v1/checks", json=body)
            took.append((time.perf_counter() - began) * 1000)
            if reply.status_code != 202 or reply.json()["total"] != prompts * 4:
                raise RuntimeError(f"not accepted: {reply.status_code} {reply.text[:200]}")
    return took[WARM_UP:]
