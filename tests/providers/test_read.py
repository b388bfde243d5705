"""What an answer is, and what only looks like one: bodies of our own, one pitfall each."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quoth.providers.contract import (
    AccountProblem,
    Busy,
    Faulty,
    Link,
    Malformed,
    ProviderError,
    Raw,
    Rejected,
    Reply,
    WrongModel,
)
from tests.providers.scripted import reader

BODIES = Path(__file__).parent / "bodies"
MODELS = {"chatgpt": "gpt-5.6", "perplexity": "perplexity/sonar"}


def read(name: str, *, model: str | None = None) -> Reply:
    """Read one of our bodies by the reader of the engine that its name begins with."""
    engine = "chatgpt" if name.startswith("openai") else "perplexity"
    kind = "text/event-stream" if name.endswith(".sse") else "application/json"
    raw = Raw(200, {"content-type": kind}, (BODIES / name).read_bytes())
    return reader(engine, model or MODELS[engine]).read(raw)


def variant(name: str, **changes: Any) -> Raw:
    body = json.loads((BODIES / name).read_text()) | changes
    return Raw(200, {}, json.dumps(body).encode())


def test_an_answer_is_read_whole() -> None:
    reply = read("openai_answer.json")

    assert (reply.finding, reply.searched, reply.model) == ("answered", True, "gpt-5.6-sol")
    assert reply.text.startswith("😀 Для ИП чаще советуют Точку")
    assert reply.queries == ("лучший банк для ИП",)
    used = [link for link in reply.links if link.used]
    assert [reply.text[link.start : link.end] for link in used] == [
        "([tochka.com](https://tochka.com/rko?utm_source=openai))",
        "([sber.ru](https://www.sber.ru/business))",
    ]
    assert used[0].title == "РКО Точка"
    # Consulted: what was found and opened, less what is used; never what is no page.
    assert [link for link in reply.links if not link.used] == [
        Link("https://www.banki.ru/rko/", None, used=False),
        Link("https://vc.ru/rko", None, used=False),
    ]
    assert reply.usage["searches"] == 3
    assert reply.usage["total_tokens"] == 9400


def test_what_the_model_says_on_the_way_is_no_answer() -> None:
    assert "Сейчас посмотрю" not in read("openai_answer.json").text
    assert read("openai_only_commentary.json").finding == "empty"


def test_a_stream_is_read_by_its_last_word() -> None:
    assert read("openai_stream_answer.sse") == read("openai_answer.json")


@pytest.mark.parametrize(
    ("name", "finding", "text", "reason"),
    [
        ("openai_reasoning_only.json", "empty", "", None),
        ("openai_budget_swallowed.json", "incomplete", "", "max_output_tokens"),
        (
            "openai_cut_off.json",
            "incomplete",
            "Первым чаще всего называют Точку, затем",
            "max_output_tokens",
        ),
        ("openai_filtered.json", "refused", "", "content_filter"),
        ("openai_refusal.json", "refused", "", "Я не могу с этим помочь."),
        (
            "openai_from_memory.json",
            "answered_without_search",
            "Обычно называют Точку и Сбер.",
            None,
        ),
        (
            "openai_search_failed.json",
            "answered_without_search",
            "Обычно называют Точку и Сбер.",
            None,
        ),
        ("perplexity_from_memory.json", "answered_without_search", "Точка и Сбер.", None),
        ("sonar_no_sources.json", "answered_without_search", "Точка и Сбер.", None),
        ("sonar_cut_off.json", "incomplete", "Точка и", "length"),
    ],
)
def test_what_became_of_a_question(name: str, finding: str, text: str, reason: str | None) -> None:
    reply = read(name)

    assert (reply.finding, reply.text, reply.reason) == (finding, text, reason)


def test_offsets_that_do_not_hold_are_dropped_and_their_links_kept() -> None:
    reply = read("openai_odd_offsets.json")

    spans = {link.title: (link.start, link.end) for link in reply.links}
    clamped = spans.pop("past the end: clamped")
    assert reply.text[slice(*clamped)] == "([sber.ru](https://www.sber.ru/business))."
    # In bytes, of no width, backwards, of the wrong type (no title), and none at all (no title).
    assert spans == {
        "bytes": (None, None),
        "zero width": (None, None),
        "backwards": (None, None),
        None: (None, None),
    }
    assert [link.url for link in reply.links if link.title is None] == [
        "https://www.sber.ru/business",
        "https://tochka.com/rko",
    ]


def test_what_a_database_cannot_store_is_replaced_without_moving_the_rest() -> None:
    assert read("openai_unstorable.json").text == "\ufffdТочка\ufffd и Сбер"


def test_perplexity_marks_what_it_uses() -> None:
    reply = read("perplexity_answer.json")

    used = [link for link in reply.links if link.used]
    assert [(reply.text[link.start : link.end], link.title) for link in used] == [
        ("[2]", "Точка"),
        ("[web:3]", "Сбер Бизнес"),
        ("[1, 3]", "Сравнение РКО"),
        ("[1, 3]", "Сбер Бизнес"),
    ]
    assert [link.url for link in reply.links if not link.used] == [
        "https://vc.ru/rko",
        "https://alfabank.ru/rko",
    ]
    assert reply.queries == ("лучший банк для ИП", "РКО для ИП сравнение")
    assert reply.cost is not None
    assert (reply.cost.amount, reply.cost.currency) == (Decimal("0.00562"), "USD")
    assert reply.cost.source == "provider"


def test_a_source_that_is_annotated_is_not_counted_again_by_its_marker() -> None:
    links = read("perplexity_annotated.json").links

    assert [(link.title, link.used, link.start) for link in links] == [
        ("Сравнение РКО", True, 17),
        ("Точка", True, 28),
    ]


def test_an_old_sonar_answer_has_its_sources_from_search_results() -> None:
    reply = read("sonar_search_results.json")

    assert [(link.url, link.used) for link in reply.links] == [
        ("https://tochka.com/rko", True),
        ("https://www.banki.ru/rko/", False),
    ]
    assert reply.cost is not None
    assert reply.cost.amount == Decimal("0.005")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("openai_stream_out_of_money.sse", AccountProblem),
        ("openai_stream_failed_only.sse", Faulty),
        ("openai_stream_error_only.sse", Busy),
        ("openai_stream_cut_off.sse", Malformed),
        ("perplexity_another_vendor.json", WrongModel),
        ("gateway_502.html", Malformed),
    ],
)
def test_what_only_looks_like_an_answer(name: str, error: type[ProviderError]) -> None:
    with pytest.raises(error) as raised:
        read(name)

    assert raised.value.raw is not None
    assert raised.value.reason


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("server_error", Faulty),
        ("a_code_of_next_year", Faulty),
        ("rate_limit_exceeded", Busy),
        ("slow_down", Busy),
        ("insufficient_quota", AccountProblem),
        ("credit_balance_exhausted", AccountProblem),
        ("data_residency_mismatch", Rejected),
    ],
)
@pytest.mark.parametrize("name", ["openai_answer.json", "perplexity_answer.json"])
def test_a_failed_response_is_told_by_its_code(
    name: str, code: str, error: type[ProviderError]
) -> None:
    raw = variant(name, status="failed", error={"code": code, "message": "No.\n  Sorry."})
    engine = name.split("_")[0].replace("openai", "chatgpt")

    with pytest.raises(error, match=rf"{code}: No\. Sorry\."):
        reader(engine, MODELS[engine]).read(raw)


@pytest.mark.parametrize("code", ["invalid_prompt", "bio_policy", "misalignment_policy_violation"])
def test_a_policy_that_forbids_an_answer_is_a_refusal(code: str) -> None:
    raw = variant("openai_answer.json", status="failed", error={"code": code, "message": "No."})

    reply = reader("chatgpt", "gpt-5.6").read(raw)

    assert (reply.finding, reply.text) == ("refused", "")
    assert reply.reason == f"declined: {code}: No."


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"status": "cancelled"}, Faulty),
        ({"status": "requires_action"}, Malformed),
        ({"status": "queued"}, Malformed),
        ({"status": None}, Malformed),
        ({"status": ["completed"]}, Malformed),
        ({"status": None, "error": {"code": "insufficient_quota"}}, AccountProblem),
        ({"output": None}, Malformed),
        ({"output": {}}, Malformed),
        ({"model": None}, WrongModel),
        ({"model": "gpt-5.6-mini"}, WrongModel),
    ],
)
def test_a_response_that_is_not_what_it_should_be(
    changes: dict[str, Any], error: type[ProviderError]
) -> None:
    with pytest.raises(error):
        reader("chatgpt", "gpt-5.6").read(variant("openai_answer.json", **changes))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'"completed"',
        b'{"id":"resp_1","output":[{"type":"mess',
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b'{"status":"completed"}',
        b"<html><title>502</title></html>",
        b"data: ",
    ],
)
@pytest.mark.parametrize("engine", MODELS)
def test_noise_is_malformed(engine: str, body: bytes) -> None:
    with pytest.raises(Malformed):
        reader(engine, MODELS[engine]).read(Raw(200, {}, body))


@pytest.mark.parametrize(
    "part",
    [
        {"output": [None, 7, "x", [], {"type": "message"}]},
        {"output": [{"type": "message", "content": {"type": "output_text"}}]},
        {"output": [{"type": "message", "content": [{"type": "output_text", "text": None}]}]},
        {"output": [{"type": "web_search_call", "action": None, "status": 7}]},
        {"output": [{"type": "search_results", "results": [{"id": None, "url": 7}], "queries": 1}]},
        {"output": [], "usage": None, "tool_usage": [], "incomplete_details": "x"},
        {"output": [], "usage": {"cost": {"total_cost": True}, "input_tokens": "9"}},
    ],
)
@pytest.mark.parametrize("name", ["openai_answer.json", "perplexity_answer.json"])
def test_parts_of_any_shape_leave_an_empty_answer(name: str, part: dict[str, Any]) -> None:
    engine = name.split("_")[0].replace("openai", "chatgpt")

    reply = reader(engine, MODELS[engine]).read(variant(name, **part))

    assert (reply.finding, reply.text, reply.links) == ("empty", "", ())


@pytest.mark.parametrize("total", [None, True, "0.1", -1, [1]])
def test_a_cost_that_is_no_amount_is_none(total: object) -> None:
    raw = variant("perplexity_answer.json", usage={"cost": {"total_cost": total}})

    assert reader("perplexity", "perplexity/sonar").read(raw).cost is None
