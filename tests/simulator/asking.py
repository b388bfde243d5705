"""How the tests ask the simulated engines over plain HTTP."""

import asyncio
from typing import Any

from httpx2 import AsyncClient, Response

CREATE = {"chatgpt": "/openai/v1/responses", "perplexity": "/perplexity/v1/agent"}
RESPONSES = {"chatgpt": "/openai/v1/responses", "perplexity": "/perplexity/v1/responses"}


def request_for(engine: str, prompt: str) -> dict[str, Any]:
    request: dict[str, Any] = {
        "input": prompt,
        "background": True,
        "store": True,
        "tools": [{"type": "web_search"}],
    }
    if engine == "perplexity":
        return request | {"model": "perplexity/sonar", "tool_choice": "required"}
    return request | {"model": "gpt-5.6", "include": ["web_search_call.action.sources"]}


async def create(http: AsyncClient, engine: str, prompt: str, **more: object) -> Response:
    return await http.post(CREATE[engine], json=request_for(engine, prompt) | more)


async def poll(http: AsyncClient, engine: str, response_id: str) -> Response:
    return await http.get(f"{RESPONSES[engine]}/{response_id}")


async def answered(http: AsyncClient, engine: str, prompt: str, **more: object) -> dict[str, Any]:
    """Ask, and poll until the response is over."""
    body: dict[str, Any] = (await create(http, engine, prompt, **more)).json()
    while body["status"] in ("queued", "in_progress"):
        await asyncio.sleep(0.01)
        body = (await poll(http, engine, body["id"])).json()
    return body


def text_of(body: dict[str, Any]) -> str:
    """Return what the final message says."""
    [message] = [
        item
        for item in body["output"]
        if item["type"] == "message" and item.get("phase") != "commentary"
    ]
    return str(message["content"][0]["text"])


async def purchases(http: AsyncClient) -> list[dict[str, Any]]:
    return list((await http.get("/control/purchases")).json()["purchases"])
