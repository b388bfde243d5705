"""Perplexity: its Agent API, as it was recorded in September 2026."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from quoth.simulator.answers.catalogue import Page
from quoth.simulator.answers.write_answer import Answer
from quoth.simulator.chance import Latency, dice
from quoth.simulator.engine import Engine
from quoth.simulator.faults import Fault, markers
from quoth.simulator.ledger import Purchase
from quoth.simulator.order import Order, Refused, check_metadata, text_of, tools_of
from quoth.simulator.responses import Body, Responses

_TOOLS = ("web_search", "fetch_url", "people_search", "finance_search", "function", "sandbox")
# Where no model is pinned, another vendor's may answer.
_ANY_MODEL = "openai/gpt-6-luna"


class Perplexity:
    """What is Perplexity's own about the Responses API."""

    name = "perplexity"
    latency = Latency(low=5, high=25, longest_queue=1)

    def order(self, request: Body) -> Order:
        """Read a request. Raises `Refused` as the real one does."""
        prompt = text_of(request.get("input"))
        if prompt is None:
            raise Refused(400, "input is required", code="invalid_request")
        if request.get("stream"):
            raise Refused(400, "The simulator does not stream.", code="unsupported")
        most = request.get("max_output_tokens")
        if most is not None and (not isinstance(most, int) or most < 16):
            raise Refused(400, "max_output_tokens must be at least 16", code="invalid_request")
        check_metadata(request)
        tools = [str(tool.get("type")) for tool in tools_of(request)]
        for kind in tools:
            if kind not in _TOOLS:
                raise Refused(400, f"unknown tool type: {kind[:100]}", code="invalid_request")
        pinned = _pinned(request)
        # The pinned model decides for itself, and leaves the search out unless it is told to.
        searches = "web_search" in tools and (
            request.get("tool_choice") == "required" or pinned is None
        )
        return Order(
            prompt,
            markers(prompt)[0],
            pinned or _ANY_MODEL,
            searches=searches,
            background=request.get("background") is True,
            stored=request.get("store") is not False,
            request=request,
        )

    def unfinished(self, purchase: Purchase, status: str) -> Body:
        """Return the response while there is nothing to say, or never will be."""
        return _response(purchase, status)

    def finished(self, purchase: Purchase, answer: Answer) -> Body:
        """Return the response that the job ended with."""
        fate = purchase.fate or Fault("none")
        if fate.kind == "failed":
            code = fate.detail or "server_error"
            error = {"code": code, "message": f"The run failed: {code}", "type": code}
            return {**_response(purchase, "failed"), "error": error}
        if not purchase.order.searches or fate.kind == "nosearch":
            answer = answer.uncited()
            output = _output(purchase, fate, answer, ())
        else:
            output = _output(purchase, fate, answer, answer.pages)
        done = _response(purchase, "incomplete" if fate.kind == "incomplete" else "completed")
        if fate.kind == "incomplete":
            filtered = fate.detail == "content_filter"
            reason = "content_filter" if filtered else "max_output_tokens"
            done["incomplete_details"] = {"reason": reason}
        if fate.kind == "model":
            done["model"] = fate.detail or _ANY_MODEL
        searches = sum(item["type"] == "search_results" for item in output)
        return done | {
            "completed_at": int(purchase.ends_at),
            "output": output,
            "usage": _usage(purchase, answer, searches),
        }

    def found(self, purchase: Purchase) -> bool:
        """Return whether its buyer can fetch it again."""
        return purchase.order.stored

    def check_cancel(self, purchase: Purchase, *, running: bool) -> None:
        """Only what still runs is cancelled."""
        if not running:
            raise Refused(400, "The run is already in a terminal state.", code="invalid_request")

    def cancelled(self, purchase: Purchase, response: Body) -> Body:
        """Say that the run will stop."""
        return {"response_id": purchase.id, "status": "cancelling"}

    def refusal(self, refused: Refused) -> Body:
        """Return an error in Perplexity's words."""
        code = refused.code or {404: "not_found"}.get(refused.status, "invalid_request")
        return {"error": {"message": refused.message, "type": code, "code": code}}

    def headers(self) -> Mapping[str, str]:
        """Return what its replies carry."""
        return {"x-request-id": str(uuid4()), "server": "cloudflare"}


def _pinned(request: Body) -> str | None:
    """Return the model that the request names, or None if it leaves the choice to a preset."""
    chain = request.get("models")
    model = chain[0] if isinstance(chain, list) and chain else request.get("model")
    if model is None and (request.get("preset") or request.get("effort")):
        return None
    if not isinstance(model, str) or "/" not in model:
        raise Refused(400, f"invalid model: {str(model)[:100]}", code="invalid_model")
    return model


def _response(purchase: Purchase, status: str) -> dict[str, Any]:
    asked = purchase.order.request
    return {
        "background": purchase.order.background,
        "completed_at": None,
        "created_at": int(purchase.accepted_at),
        "error": None,
        "frequency_penalty": 0,
        "id": purchase.id,
        "incomplete_details": None,
        "instructions": asked.get("instructions"),
        "max_output_tokens": asked.get("max_output_tokens"),
        "max_tool_calls": None,
        "metadata": purchase.order.metadata,
        "model": purchase.order.model,
        "object": "response",
        "output": [],
        "parallel_tool_calls": True,
        "presence_penalty": 0,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": None,
        "safety_identifier": None,
        "service_tier": "default",
        "status": status,
        "store": purchase.order.stored,
        "temperature": 1,
        "text": {"format": {"type": "text"}},
        "tool_choice": asked.get("tool_choice", "auto"),
        "tools": asked.get("tools") or [],
        "top_logprobs": 0,
        "top_p": 1,
        "truncation": "",
        "usage": None,
        "user": None,
    }


def _output(
    purchase: Purchase, fate: Fault, answer: Answer, pages: tuple[Page, ...]
) -> list[dict[str, Any]]:
    output: list[dict[str, Any]] = []
    if pages:
        results = [_result(number, page) for number, page in enumerate(pages, start=1)]
        output.append({"type": "search_results", "queries": answer.queries, "results": results})
    said = _said(fate, answer, pages)
    if said:
        output.append(
            {
                "type": "message",
                "id": f"msg_{purchase.id.removeprefix('resp_')}",
                "role": "assistant",
                "status": "completed",
                "content": [said],
            }
        )
    return output


def _result(number: int, page: Page) -> dict[str, Any]:
    luck = dice(page.url, "dates")
    result: dict[str, Any] = {
        "id": number,
        "title": page.title,
        "url": page.url,
        "snippet": page.snippet,
        "source": "web",
        "last_updated": f"2026-{luck.randint(1, 11):02}-{luck.randint(1, 28):02}",
    }
    # Not every page has a date.
    if luck.random() < 0.6:
        result["date"] = f"2025-{luck.randint(1, 12):02}-{luck.randint(1, 28):02}"
    return result


def _said(fate: Fault, answer: Answer, pages: tuple[Page, ...]) -> dict[str, Any] | None:
    match fate.kind, fate.detail:
        case ("reasoning", _) | ("incomplete", "content_filter" | "nothing"):
            return None
        case "refusal", _:
            return {"type": "refusal", "refusal": "I can't help with that."}
        case "incomplete", _:
            answer = answer.cut()
        case "nocitations", _:
            answer = answer.uncited()
    # The text refers to the results by their ids; there are no notes.
    text = "".join(
        piece if isinstance(piece, str) else f"[{pages.index(piece) + 1}]"
        for piece in answer.pieces
    )
    return {"type": "output_text", "annotations": [], "text": text}


def _usage(purchase: Purchase, answer: Answer, searches: int) -> dict[str, Any]:
    luck = dice(purchase.engine, purchase.order.question, purchase.nth, "usage")
    read = 400 + searches * luck.randint(2_500, 6_000)
    wrote = sum(len(piece) for piece in answer.pieces if isinstance(piece, str)) // 3
    cost = {
        "input_cost": round(read * 0.25e-6, 8),
        "output_cost": round(wrote * 2.5e-6, 8),
        "cache_creation_cost": 0,
        "cache_read_cost": 0,
        "tool_calls_cost": searches * 0.005,
    }
    usage: dict[str, Any] = {
        "input_tokens": read,
        "input_tokens_details": {
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cached_tokens": 0,
        },
        "output_tokens": wrote,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + wrote,
        "cost": {**cost, "currency": "USD", "total_cost": round(sum(cost.values()), 8)},
    }
    if searches:
        price = {"invocation": searches, "cost_usd": cost["tool_calls_cost"]}
        usage["tool_calls_details"] = {"search_web": price}
    return usage


PERPLEXITY = Engine(
    Perplexity.name,
    "/perplexity",
    lambda world: Responses(world, Perplexity()).routes(
        "/perplexity/v1/responses", also_create_at=("/perplexity/v1/agent",)
    ),
)
