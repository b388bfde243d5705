"""The response object of OpenAI."""

from collections.abc import Mapping, Sequence
from typing import Any

from quoth.simulator.answers.catalogue import Page
from quoth.simulator.answers.write_answer import Answer
from quoth.simulator.chance import dice, happens
from quoth.simulator.faults import Fault
from quoth.simulator.ledger import Purchase

Item = dict[str, Any]

_OTHER_MODEL = "gpt-4o-mini-2024-07-18"
_MARK = "utm_source=openai"


def finished(purchase: Purchase, answer: Answer) -> dict[str, Any]:
    """Return the response that the job ended with: its answer, or what its fate left of it."""
    fate = purchase.fate or Fault("none")
    if fate.kind == "failed":
        code = fate.detail or "server_error"
        error = {"code": code, "message": f"The model could not finish: {code}."}
        return unfinished(purchase, "failed") | {"error": error}
    output = _output(purchase, fate, answer)
    done = unfinished(purchase, "incomplete" if fate.kind == "incomplete" else "completed")
    if fate.kind == "incomplete":
        filtered = fate.detail == "content_filter"
        reason = "content_filter" if filtered else "max_output_tokens"
        done["incomplete_details"] = {"reason": reason}
    if fate.kind == "model":
        done["model"] = fate.detail or _OTHER_MODEL
    searches = sum(item.get("action", {}).get("type") == "search" for item in output)
    return done | {
        "billing": {"payer": "developer"},
        "completed_at": int(purchase.ends_at),
        "output": output,
        "service_tier": "default",
        "tool_usage": {"image_gen": _NO_IMAGES, "web_search": {"num_requests": searches}},
        "usage": _usage(purchase, answer, searches),
    }


def unfinished(purchase: Purchase, status: str) -> dict[str, Any]:
    """Return the response without what only an ended one has."""
    asked = purchase.order.request
    return {
        "id": purchase.id,
        "object": "response",
        "created_at": int(purchase.accepted_at),
        "status": status,
        "background": purchase.order.background,
        "completed_at": None,
        "error": None,
        "frequency_penalty": 0.0,
        "incomplete_details": None,
        "instructions": asked.get("instructions"),
        "max_output_tokens": asked.get("max_output_tokens"),
        "max_tool_calls": asked.get("max_tool_calls"),
        "metadata": purchase.order.metadata,
        "model": purchase.order.model,
        "moderation": None,
        "output": [],
        "parallel_tool_calls": True,
        "presence_penalty": 0.0,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "prompt_cache_retention": "24h",
        "reasoning": {
            "context": "all_turns", "effort": "medium", "mode": "standard", "summary": None,
        },
        "safety_identifier": None,
        "service_tier": "auto",
        "store": purchase.order.stored,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": asked.get("tool_choice", "auto"),
        "tools": [_echoed(tool) for tool in asked.get("tools") or []],
        "top_logprobs": 0,
        "top_p": 0.98,
        "truncation": "disabled",
        "usage": None,
        "user": None,
    }  # fmt: skip


def _echoed(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    if not str(tool["type"]).startswith("web_search"):
        return tool
    nowhere = {"city": None, "country": "US", "region": None, "timezone": None}
    place = tool.get("user_location") or nowhere
    return {
        "type": tool["type"],
        "return_token_budget": "default",
        "search_content_types": ["text"],
        "search_context_size": tool.get("search_context_size", "medium"),
        "user_location": {**dict.fromkeys(nowhere), "type": "approximate", **place},
    }


def _output(purchase: Purchase, fate: Fault, answer: Answer) -> list[Item]:
    luck = dice(purchase.engine, purchase.order.question, purchase.nth, "output")
    items: list[Item] = []

    def add(prefix: str, kind: str, fields: Mapping[str, object]) -> None:
        number = f"{len(items):04x}"
        items.append(
            {"id": f"{prefix}_{purchase.id.removeprefix('resp_')}{number}", "type": kind, **fields}
        )

    if purchase.order.searches and fate.kind != "nosearch":
        if happens(luck, 0.4):
            add("msg", "message", _message("commentary", _said(answer.aside)))
        for action in _actions(purchase, answer, opens_a_page=happens(luck, 0.4)):
            add("rs", "reasoning", {"summary": []})
            add("ws", "web_search_call", {"status": "completed", "action": action})
    else:
        answer = answer.uncited()
    add("rs", "reasoning", {"summary": []})
    content = _content(fate, answer)
    if content:
        add("msg", "message", _message("final_answer", content))
    return items


def _actions(purchase: Purchase, answer: Answer, *, opens_a_page: bool) -> Sequence[Item]:
    asked = purchase.order.request
    queries = answer.queries[: asked.get("max_tool_calls") or len(answer.queries)]
    shows_sources = "web_search_call.action.sources" in (asked.get("include") or [])
    actions: list[Item] = []
    for number, query in enumerate(queries):
        action: Item = {"type": "search", "query": query, "queries": [query]}
        if shows_sources:
            # Each search finds its share of the pages.
            found = answer.pages[number :: len(queries)]
            action["sources"] = [{"type": "url", "url": page.url} for page in found]
        actions.append(action)
    if opens_a_page:
        actions.append({"type": "open_page", "url": answer.pages[0].url})
    return actions


def _message(phase: str, content: Sequence[Item]) -> Item:
    return {"status": "completed", "role": "assistant", "phase": phase, "content": content}


def _content(fate: Fault, answer: Answer) -> list[Item]:
    match fate.kind, fate.detail:
        case ("reasoning", _) | ("incomplete", "content_filter" | "nothing"):
            return []
        case "refusal", _:
            return [{"type": "refusal", "refusal": "I'm sorry, but I can't help with that."}]
        case "incomplete", _:
            return _written(answer.cut())
        case "nocitations", _:
            return _written(answer.uncited())
        case _:
            return _written(answer)


def _written(answer: Answer) -> list[Item]:
    """The text with its links in it, and notes that say where they stand, in code points."""
    text = ""
    notes: list[Item] = []
    for piece in answer.pieces:
        if isinstance(piece, str):
            text += piece
            continue
        url = _marked(piece)
        link = f"([{piece.domain}]({url}))"
        # The blank before the link is not part of it.
        text += " "
        notes.append(
            {
                "type": "url_citation",
                "start_index": len(text),
                "end_index": len(text) + len(link),
                "title": piece.title,
                "url": url,
            }
        )
        text += link
    return _said(text, notes)


def _said(text: str, notes: Sequence[Item] = ()) -> list[Item]:
    return [{"type": "output_text", "annotations": notes, "logprobs": [], "text": text}]


def _marked(page: Page) -> str:
    return f"{page.url}{'&' if '?' in page.url else '?'}{_MARK}"


_NO_IMAGES = {
    "input_tokens": 0,
    "input_tokens_details": {"image_tokens": 0, "text_tokens": 0},
    "output_tokens": 0,
    "output_tokens_details": {"image_tokens": 0, "text_tokens": 0},
    "total_tokens": 0,
}


def _usage(purchase: Purchase, answer: Answer, searches: int) -> Item:
    luck = dice(purchase.engine, purchase.order.question, purchase.nth, "usage")
    words = sum(len(piece) for piece in answer.pieces if isinstance(piece, str))
    read = 900 + searches * luck.randint(9_000, 14_000)
    thought = luck.randint(200, 1_800)
    wrote = thought + words // 3
    return {
        "input_tokens": read,
        "input_tokens_details": {"cache_write_tokens": read // 2, "cached_tokens": 0},
        "output_tokens": wrote,
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": read + wrote,
    }
