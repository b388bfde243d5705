"""Both readers against every recorded body of their engine, where the recordings are at hand."""

from pathlib import Path

import pytest

from quoth.providers.contract import (
    AccountProblem,
    Busy,
    Finding,
    Malformed,
    Provider,
    ProviderError,
    Raw,
    Rejected,
    WrongModel,
)
from tests.providers.recordings import RECORDED, recorded
from tests.providers.scripted import reader

pytestmark = pytest.mark.skipif(not RECORDED.exists(), reason="the recordings are not at hand")

Answer = tuple[Finding, bool, int, int, int, str]
Expected = list[Answer | type[ProviderError]]

# file: (model asked, what each reply in it says:
#        finding, searched, links used, links consulted, queries, how the text starts)
OPENAI: dict[str, tuple[str, Expected]] = {
    "azure_web_search_preview": (
        "gpt-4.1-mini",
        [("answered", True, 1, 0, 2, "Here are three major news stories")],
    ),
    "background_create_poll_queued_inprogress_completed": (
        "gpt-4o",
        # The first two are not over; nobody reads them but by mistake.
        [Malformed, Malformed, ("answered_without_search", False, 0, 0, 0, "2 + 2 equals 4.")],
    ),
    "background_stream_resume_starting_after": (
        "gpt-4o",
        [("answered_without_search", False, 0, 0, 0, "2 + 2 equals 4.")] * 2,
    ),
    # Another API, which we never ask: an answer of it is not an answer to us.
    "chat_completions_search_preview_no_annotations": ("gpt-4o-search-preview", [Malformed]),
    "error_400_invalid_request": ("gpt-4o", [Rejected]),
    "error_400_web_search_model_not_supported": ("gpt-4o", [Rejected]),
    "error_429_insufficient_quota_body": ("gpt-5", [AccountProblem]),
    "error_502_cloudflare_html_from_issue": ("gpt-5", [Busy]),
    "responses_api_llm_plugin": (
        "gpt-4o-mini",
        [("answered_without_search", False, 0, 0, 0, "Hi there!")],
    ),
    # The recorder kept the length of the compressed bodies only.
    "responses_api_with_headers": ("gpt-4.1", [Malformed, Malformed]),
    "stream_200_then_error_insufficient_quota": ("gpt-5-nano", [AccountProblem]),
    "web_search_builtin": ("gpt-5", [("answered", True, 3, 0, 6, "Here are three")]),
    "web_search_done_but_annotations_empty": (
        "gpt-5",
        [("answered", True, 0, 0, 1, "Here’s the weather in Salvador")],
    ),
    "web_search_gpt56_tool_usage_utm": ("gpt-5.6", [("answered", True, 1, 0, 1, "1889 ([tour")]),
    "web_search_gpt5_nonstream": (
        "gpt-5",
        [("answered", True, 0, 0, 1, "Today (Tuesday, September 16, 2025)")] * 2,
    ),
    "web_search_sources_open_page_find_in_page": (
        "gpt-5-mini",
        [("answered", True, 10, 9, 1, "Short answer first")],
    ),
    "web_search_stream_chunks": (
        "gpt-5-mini",
        [("answered", True, 12, 14, 2, "I checked today’s tech headlines")],
    ),
}
PERPLEXITY: dict[str, tuple[str, Expected]] = {
    "agent_api_web_search_fast_preset": (
        "openai/gpt-6-luna",
        [("answered", True, 1, 9, 1, "The official TypeScript website")],
    ),
    "sonar_legacy_citations_only": ("sonar", [("answered", True, 13, 1, 0, "The most recent")]),
    "sonar_legacy_citations_stream": ("sonar", [("answered", True, 2, 5, 0, "The current pop")]),
    "sonar_legacy_text": ("sonar", [("answered", True, 12, 1, 0, "**EcoVista Day**")]),
}
# The same format from another vendor: annotations without offsets and titles.
XAI: dict[str, tuple[str, Expected]] = {
    "xai_responses_web_search": (
        "grok-4-fast-reasoning",
        [("answered", True, 5, 0, 0, "xAI is an American artificial")],
    ),
}
CASES = [
    pytest.param(engine, RECORDED / folder / f"{name}.json", model, expected, id=name)
    for engine, folder, table in (
        ("chatgpt", "openai", OPENAI),
        ("perplexity", "perplexity", PERPLEXITY),
        ("chatgpt", "xai", XAI),
    )
    for name, (model, expected) in table.items()
]


@pytest.mark.parametrize(("engine", "path", "model", "expected"), CASES)
def test_a_recorded_body_is_read_as_expected(
    engine: str, path: Path, model: str, expected: Expected
) -> None:
    provider = reader(engine, model)

    found = [_outcome(provider, raw) for raw in recorded(path)]

    assert len(found) == len(expected)
    for is_found, is_expected in zip(found, expected, strict=True):
        if isinstance(is_expected, tuple) and isinstance(is_found, tuple):
            assert is_found[:5] == is_expected[:5]
            assert is_found[5].startswith(is_expected[5])
        else:
            assert is_found == is_expected


def _outcome(provider: Provider, raw: Raw) -> Answer | type[ProviderError]:
    try:
        reply = provider.read(raw)
    except ProviderError as error:
        return type(error)
    used = [link for link in reply.links if link.used]
    consulted = len(reply.links) - len(used)
    return (reply.finding, reply.searched, len(used), consulted, len(reply.queries), reply.text)


@pytest.mark.parametrize(("folder", "table"), [("openai", OPENAI), ("perplexity", PERPLEXITY)])
def test_no_recording_is_left_out(folder: str, table: dict[str, object]) -> None:
    assert {path.stem for path in (RECORDED / folder).glob("*.json")} == set(table)


def test_each_cited_span_of_the_recordings_holds_its_address() -> None:
    spans = 0
    for name, (model, expected) in OPENAI.items():
        if any(isinstance(one, type) for one in expected):
            continue
        for raw in recorded(RECORDED / "openai" / f"{name}.json"):
            reply = reader("chatgpt", model).read(raw)
            for link in reply.links:
                if link.start is not None:
                    assert link.url in reply.text[link.start : link.end]
                    spans += 1

    assert spans == 27


def test_the_recorded_marker_of_perplexity_is_its_source() -> None:
    path = RECORDED / "perplexity" / "agent_api_web_search_fast_preset.json"

    reply = reader("perplexity", "openai/gpt-6-luna").read(recorded(path)[0])

    [used] = [link for link in reply.links if link.used]
    assert used.url == "https://www.typescriptlang.org/"
    assert reply.text[used.start : used.end] == "[7]"
    assert reply.cost is not None
    assert str(reply.cost.amount) == "0.00119"
    assert reply.cost.source == "provider"


def test_a_preset_that_was_routed_to_another_vendor_is_not_perplexity() -> None:
    path = RECORDED / "perplexity" / "agent_api_web_search_fast_preset.json"

    with pytest.raises(WrongModel, match="perplexity/sonar was asked, openai/gpt-6-luna answered"):
        reader("perplexity", "perplexity/sonar").read(recorded(path)[0])
