"""ChatGPT: the OpenAI Responses API with web search, as it was recorded in July 2026."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from quoth.simulator.answers.write_answer import Answer
from quoth.simulator.chance import Latency
from quoth.simulator.engine import Engine
from quoth.simulator.faults import markers
from quoth.simulator.ledger import Purchase
from quoth.simulator.openai_response import finished, unfinished
from quoth.simulator.order import Order, Refused, check_metadata, text_of, tools_of
from quoth.simulator.responses import Body, Responses

_SEARCHES = ("web_search", "web_search_2025_08_26")
_TOOLS = (*_SEARCHES, "web_search_preview", "web_search_preview_2025_03_11", "function")
_INCLUDES = (
    "file_search_call.results", "web_search_call.results", "web_search_call.action.sources",
    "message.input_image.image_url", "computer_call_output.output.image_url",
    "code_interpreter_call.outputs", "reasoning.encrypted_content", "message.output_text.logprobs",
)  # fmt: skip
_PARAMETERS = frozenset(
    {
        "background", "background_options", "context_management", "conversation", "include",
        "input", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "model",
        "moderation", "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key",
        "prompt_cache_options", "prompt_cache_retention", "reasoning", "safety_identifier",
        "service_tier", "store", "stream", "stream_options", "temperature", "text", "tool_choice",
        "tools", "top_logprobs", "top_p", "truncation", "user",
    }
)  # fmt: skip
_FULL_NAMES = {
    "gpt-4.1": "gpt-4.1-2025-04-14",
    "gpt-4o": "gpt-4o-2024-08-06",
    "gpt-5": "gpt-5-2025-08-07",
    "gpt-5-mini": "gpt-5-mini-2025-08-07",
    "gpt-5.6": "gpt-5.6-sol",
}


class OpenAI:
    """What is OpenAI's own about the Responses API."""

    name = "chatgpt"
    latency = Latency(low=11, high=51, longest_queue=1.5)

    def order(self, request: Body) -> Order:
        """Read a request. Raises `Refused` as the real one does."""
        _check_parameters(request)
        model = request.get("model")
        if not isinstance(model, str) or not model:
            raise _missing("model")
        if not model.startswith(("gpt-", "o1", "o3", "o4", "chatgpt-")):
            message = f"The model `{model[:100]}` does not exist or you do not have access to it."
            raise Refused(404, message, code="model_not_found", param="model")
        prompt = text_of(request.get("input"))
        if prompt is None:
            raise _missing("input")
        tools = _tools(request)
        return Order(
            prompt,
            markers(prompt)[0],
            _FULL_NAMES.get(model, model),
            searches=request.get("tool_choice") != "none"
            and any(str(tool["type"]).startswith("web_search") for tool in tools),
            background=request.get("background") is True,
            stored=request.get("store") is not False,
            request=request,
        )

    def unfinished(self, purchase: Purchase, status: str) -> Body:
        """Return the response while there is nothing to say, or never will be."""
        return unfinished(purchase, status)

    def finished(self, purchase: Purchase, answer: Answer) -> Body:
        """Return the response that the job ended with."""
        return finished(purchase, answer)

    def found(self, purchase: Purchase) -> bool:
        """Return whether its buyer can fetch it again: a background job is kept for a while."""
        return purchase.order.stored or purchase.order.background

    def check_cancel(self, purchase: Purchase, *, running: bool) -> None:
        """Only background responses are cancelled; what is over stays as it is."""
        if not purchase.order.background:
            raise Refused(400, "Cannot cancel a synchronous response.")

    def cancelled(self, purchase: Purchase, response: Body) -> Body:
        """Return the response as it is now."""
        return response

    def refusal(self, refused: Refused) -> Body:
        """Return an error in OpenAI's words."""
        kind = {
            429: "insufficient_quota" if refused.code == "insufficient_quota" else "requests",
            500: "server_error",
            503: "service_unavailable_error",
        }.get(refused.status, "invalid_request_error")
        return {
            "error": {
                "message": refused.message,
                "type": kind,
                "param": refused.param,
                "code": refused.code,
            }
        }

    def headers(self) -> Mapping[str, str]:
        """Return what its replies carry."""
        return {
            "openai-version": "2020-10-01",
            "openai-processing-ms": "42",
            "x-request-id": f"req_{uuid4().hex}",
            "x-ratelimit-limit-requests": "5000",
            "x-ratelimit-limit-tokens": "450000",
            "x-ratelimit-remaining-requests": "4999",
            "x-ratelimit-remaining-tokens": "449718",
            "x-ratelimit-reset-requests": "12ms",
            "x-ratelimit-reset-tokens": "37ms",
        }


def _check_parameters(request: Body) -> None:
    for name in request:
        if name not in _PARAMETERS:
            message = f"Unknown parameter: '{name[:100]}'."
            raise Refused(400, message, code="unknown_parameter", param=name[:100])
    if request.get("stream"):
        raise Refused(400, "The simulator does not stream.", code="unsupported", param="stream")
    _check_range(request, "temperature", 0, 2)
    _check_range(request, "max_output_tokens", 16, 10**9)
    _check_range(request, "max_tool_calls", 1, 10**9)
    include = request.get("include") or []
    for name in include if isinstance(include, list) else [include]:
        if name not in _INCLUDES:
            raise _invalid("include[0]", name, _INCLUDES)
    check_metadata(request)


def _check_range(request: Body, name: str, low: float, high: float) -> None:
    value = request.get(name)
    if value is None:
        return
    kinds = int | float if name == "temperature" else int
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise Refused(400, f"Invalid type for '{name}'.", code="invalid_type", param=name)
    if not low <= value <= high:
        message = f"Invalid '{name}': expected a value between {low} and {high}, got {value}."
        raise Refused(400, message, code="value_out_of_range", param=name)


def _tools(request: Body) -> list[Mapping[str, Any]]:
    tools = tools_of(request)
    for number, tool in enumerate(tools):
        if tool.get("type") not in _TOOLS:
            raise _invalid(f"tools[{number}].type", tool.get("type"), _TOOLS)
    return tools


def _invalid(param: str, value: object, known: tuple[str, ...]) -> Refused:
    supported = ", ".join(f"'{name}'" for name in known)
    message = f"Invalid value: '{str(value)[:100]}'. Supported values are: {supported}."
    return Refused(400, message, code="invalid_value", param=param)


def _missing(param: str) -> Refused:
    message = f"Missing required parameter: '{param}'."
    return Refused(400, message, code="missing_required_parameter", param=param)


OPENAI = Engine(
    OpenAI.name,
    "/openai/v1",
    lambda world: Responses(world, OpenAI()).routes("/openai/v1/responses"),
)
