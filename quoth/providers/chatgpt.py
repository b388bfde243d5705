"""ChatGPT's models over OpenAI's Responses API, with web search, in the background."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from quoth.providers.contract import Accepted, Link, Question, Raw, Reply, Route
from quoth.providers.http import Wire
from quoth.providers.json_body import integer, obj, objects, text, texts
from quoth.providers.poll import Polling
from quoth.providers.prices import list_price
from quoth.providers.responses import (
    answer_in,
    check_ended,
    check_model,
    consulted_only,
    finding_of,
    load_response,
    policy_refusal,
    response_id,
    web_url,
)

# Reasoning and search results count as output too: at 1,200 tokens no answer came out at all.
MOST_TOKENS = 16_384
# Each search is billed; the busiest answers seen made about eight.
MOST_SEARCHES = 10
SOURCES = "web_search_call.action.sources"


class ChatGPT:
    """Asks one OpenAI model. The engine decides whether to search, as it does for everybody."""

    def __init__(self, wire: Wire, route: Route, poll_floor: timedelta) -> None:
        self._wire = wire
        self._route = route
        self._polling = Polling(poll_floor)

    @property
    def route(self) -> Route:
        """By which way it asks."""
        return self._route

    async def send(self, question: Question) -> Accepted:
        """Put the question in the background queue of the engine, which keeps it by its id."""
        location = {"type": "approximate", "country": question.country}
        request = {
            "model": self._route.model,
            "input": question.text,
            "background": True,
            "store": True,
            "tools": [
                {"type": "web_search", "search_context_size": "medium", "user_location": location}
            ],
            "tool_choice": "auto",
            "max_tool_calls": MOST_SEARCHES,
            "max_output_tokens": MOST_TOKENS,
            "include": [SOURCES],
            "metadata": {"reference": question.reference},
        }
        return await self._wire.buy("/responses", request, response_id)

    async def collect(self, accepted_ref: str) -> Raw:
        """Poll until the response is over."""
        path = f"/responses/{quote(accepted_ref, safe='')}"
        include = {"include[]": SOURCES}
        return await self._polling.until_over(lambda: self._wire.get(path, params=include))

    async def cancel(self, accepted_ref: str) -> None:
        """Ask the engine to stop; no error if it is over or unknown."""
        await self._wire.stop(f"/responses/{quote(accepted_ref, safe='')}/cancel")

    def read(self, raw: Raw) -> Reply:
        """Read a collected response."""
        response = load_response(raw)
        forbidden = policy_refusal(response, asked=self._route.model)
        if forbidden is not None:
            return forbidden
        check_ended(response, raw)
        model = check_model(response, asked=self._route.model, raw=raw)
        written, used, refused = answer_in(response)
        calls = [
            item for item in objects(response["output"]) if item.get("type") == "web_search_call"
        ]
        # Some gateways leave the state of a call at "searching"; what it cites, it has found.
        searched = bool(used) or any(call.get("status") == "completed" for call in calls)
        finding, reason = finding_of(response, written, refused=refused, searched=searched)
        searches = _searches(response, calls)
        usage = obj(response.get("usage"))
        return Reply(
            finding,
            "" if finding == "refused" else written,
            model,
            searched,
            queries=tuple(dict.fromkeys(_queries(calls))),
            links=(*used, *consulted_only(used, _consulted(calls))),
            usage={**usage, "searches": searches},
            cost=list_price(model, usage, searches=searches, tier=response.get("service_tier")),
            reason=reason,
        )


def _queries(calls: Iterable[dict[str, Any]]) -> Iterable[str]:
    for call in calls:
        action = obj(call.get("action"))
        query = text(action.get("query"))
        yield from texts(action.get("queries")) or ([query] if query else [])


def _consulted(calls: Iterable[dict[str, Any]]) -> Iterable[Link]:
    """What the searches found, and the pages that were opened."""
    for call in calls:
        action = obj(call.get("action"))
        for source in [*objects(action.get("sources")), action]:
            url = web_url(source.get("url"))
            if url:
                yield Link(url, text(source.get("title")), used=False)


def _searches(response: dict[str, Any], calls: Iterable[dict[str, Any]]) -> int:
    """How many searches are billed: as told, else as seen."""
    told = obj(obj(response.get("tool_usage")).get("web_search")).get("num_requests")
    seen = [call for call in calls if obj(call.get("action")).get("type") == "search"]
    count = integer(told)
    return len(seen) if count is None else count
