"""Perplexity over its Agent API, the model pinned and a search required, in the background."""

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from quoth.providers.contract import Accepted, Cost, Link, Question, Raw, Reply, Route
from quoth.providers.http import Wire
from quoth.providers.json_body import obj, objects, text, texts
from quoth.providers.poll import Polling
from quoth.providers.responses import (
    answer_in,
    bare,
    check_ended,
    check_model,
    consulted_only,
    finding_of,
    load_response,
    policy_refusal,
    response_id,
    web_url,
)
from quoth.providers.sonar import is_sonar, load_sonar, read_sonar

MOST_TOKENS = 8_192

_MARKER = re.compile(r"\[((?:web:)?\d{1,4}(?:\s*,\s*(?:web:)?\d{1,4})*)\]")
_NUMBER = re.compile(r"\d+")


class Perplexity:
    """Asks one Perplexity model. No presets: those may hand the question to another vendor."""

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
        request = {
            "model": self._route.model,
            "input": question.text,
            "instructions": "Answer in the language whose ISO 639-1 code is "
            f"'{question.language}'.",
            "language_preference": question.language,
            "background": True,
            "store": True,
            "tools": [
                {
                    "type": "web_search",
                    "search_context_size": "medium",
                    "user_location": {"country": question.country},
                }
            ],
            # Left to itself, the model may answer from memory.
            "tool_choice": "required",
            "max_output_tokens": MOST_TOKENS,
        }
        return await self._wire.buy("/v1/agent", request, response_id)

    async def collect(self, accepted_ref: str) -> Raw:
        """Poll until the response is over."""
        path = f"/v1/responses/{quote(accepted_ref, safe='')}"
        return await self._polling.until_over(lambda: self._wire.get(path))

    async def cancel(self, accepted_ref: str) -> None:
        """Ask the engine to stop; no error if it is over or unknown."""
        await self._wire.stop(f"/v1/responses/{quote(accepted_ref, safe='')}/cancel")

    def read(self, raw: Raw) -> Reply:
        """Read a collected response, or an answer of the retired Sonar API."""
        if is_sonar(raw):
            return _read_sonar(raw, asked=self._route.model)
        response = load_response(raw)
        forbidden = policy_refusal(response, asked=self._route.model)
        if forbidden is not None:
            return forbidden
        check_ended(response, raw)
        model = check_model(response, asked=self._route.model, raw=raw)
        written, annotated, refused = answer_in(response)
        searches = [
            item
            for item in objects(response["output"])
            if item.get("type") in ("search_results", "fetch_url_results")
        ]
        used = [*annotated, *_marked(written, _by_number(searches), but=annotated)]
        searched = any(item.get("type") == "search_results" for item in searches)
        finding, reason = finding_of(response, written, refused=refused, searched=searched)
        usage = obj(response.get("usage"))
        return Reply(
            finding,
            "" if finding == "refused" else written,
            model,
            searched,
            queries=tuple(
                dict.fromkeys(query for item in searches for query in texts(item.get("queries")))
            ),
            links=(*used, *consulted_only(used, _found(searches))),
            usage=usage,
            cost=_cost(usage),
            reason=reason,
        )


def _read_sonar(raw: Raw, *, asked: str) -> Reply:
    body = load_sonar(raw)
    model = check_model(body, asked=asked, raw=raw)
    finding, written, sources = read_sonar(body)
    used = list(_marked(written, dict(enumerate(sources, start=1)), but=()))
    usage = obj(body.get("usage"))
    return Reply(
        finding,
        written,
        model,
        searched=bool(sources),
        links=(*used, *consulted_only(used, sources)),
        usage=usage,
        cost=_cost(usage),
        reason="length" if finding == "incomplete" else None,
    )


def _found(searches: Iterable[dict[str, Any]]) -> Iterable[Link]:
    """What the searches found and the pages that were fetched."""
    for item in searches:
        for result in [*objects(item.get("results")), *objects(item.get("contents"))]:
            url = web_url(result.get("url"))
            if url:
                yield Link(url, text(result.get("title")), used=False)


def _by_number(searches: Iterable[dict[str, Any]]) -> Mapping[int, Link]:
    """Return the results by the numbers that the text refers to; the first of a number counts."""
    numbered: dict[int, Link] = {}
    for item in searches:
        for result in objects(item.get("results")):
            number = _NUMBER.search(str(result.get("id")))
            url = web_url(result.get("url"))
            if number and url:
                link = Link(url, text(result.get("title")), used=False)
                numbered.setdefault(int(number[0]), link)
    return numbered


def _marked(written: str, numbered: Mapping[int, Link], *, but: Iterable[Link]) -> Iterable[Link]:
    """The sources that the text marks as `[7]`, `[web:7]` or `[7, 8]`, where it does so."""
    annotated = {bare(link.url) for link in but}
    for marker in _MARKER.finditer(written):
        for number in _NUMBER.findall(marker[1]):
            link = numbered.get(int(number))
            if link and bare(link.url) not in annotated:
                yield Link(link.url, link.title, True, marker.start(), marker.end())


def _cost(usage: Mapping[str, Any]) -> Cost | None:
    """What Perplexity says that the call cost."""
    told = obj(usage.get("cost"))
    total = told.get("total_cost")
    if not isinstance(total, int | float) or isinstance(total, bool) or total < 0:
        return None
    return Cost(Decimal(str(total)), text(told.get("currency")) or "USD", "provider")
