"""Whatever an engine sends, its reader answers or raises what the contract knows."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quoth.providers.contract import ProviderError, Raw, Reply
from tests.providers.scripted import reader

BODIES = Path(__file__).parent / "bodies"
READERS = {
    "openai": reader("chatgpt", "gpt-5.6"),
    "perplexity": reader("perplexity", "perplexity/sonar"),
    "sonar": reader("perplexity", "perplexity/sonar"),
}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "url", "text", "id"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    name=st.sampled_from(sorted(path.name for path in BODIES.glob("*.json"))),
    place=st.integers(min_value=0, max_value=10_000),
    value=anything,
)
def test_a_body_with_anything_in_any_place(name: str, place: int, value: Any) -> None:
    body = json.loads((BODIES / name).read_text())
    places = list(_places(body))
    inside, key = places[place % len(places)]
    inside[key] = value

    _read(name, json.dumps(body).encode())


@given(
    name=st.sampled_from(sorted(path.name for path in BODIES.iterdir())),
    length=st.integers(min_value=0, max_value=4_000),
    tail=st.binary(max_size=8),
)
def test_a_body_that_breaks_off_in_noise(name: str, length: int, tail: bytes) -> None:
    _read(name, (BODIES / name).read_bytes()[:length] + tail)


def _read(name: str, body: bytes) -> None:
    provider = READERS.get(name.split("_")[0], READERS["openai"])
    try:
        reply = provider.read(Raw(200, {}, body))
    except ProviderError:
        return
    assert isinstance(reply, Reply)
    assert json.dumps(reply.usage, allow_nan=False)
    for said in (reply.text, reply.model, reply.reason or "", *reply.queries):
        assert "\0" not in said
        said.encode()
    for link in reply.links:
        assert link.start is None or 0 <= link.start < (link.end or 0) <= len(reply.text)
    assert reply.cost is None or reply.cost.amount.is_finite()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        yield value, key
        if isinstance(item, dict | list):
            yield from _places(item)
