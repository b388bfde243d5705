"""Which answers count as the model that was asked."""

import pytest

from quoth.providers.same_model import same_model


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-5.6", "gpt-5.6"),
        ("gpt-5.6", "gpt-5.6-sol"),
        ("gpt-5.6", "gpt-5.6-sol-2026-07-01"),
        ("gpt-5", "gpt-5-2025-08-07"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-5-mini", "gpt-5-mini-2025-08-07"),
        ("gpt-5-2025-08-07", "gpt-5-2025-08-07"),
        ("perplexity/sonar", "perplexity/sonar"),
        ("perplexity/sonar", "sonar"),
        ("GPT-5", "gpt-5"),
    ],
)
def test_a_release_of_a_model_is_that_model(asked: str, answered: str) -> None:
    assert same_model(asked, answered)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-5", "gpt-5.6"),
        ("gpt-5", "gpt-50"),
        ("gpt-5", "gpt-5-mini"),
        ("gpt-5", "gpt-5-mini-2025-08-07"),
        ("gpt-5", "gpt-5-sol-mini"),
        ("gpt-4o", "gpt-4o-search-preview-2025-03-11"),
        ("gpt-5.6-sol", "gpt-5.6"),
        ("perplexity/sonar", "perplexity/sonar-pro"),
        ("perplexity/sonar", "perplexity/sonar-reasoning"),
        ("perplexity/sonar", "openai/gpt-6-luna"),
        ("perplexity/sonar", "openai/sonar"),
        ("gpt-5", ""),
    ],
)
def test_another_model_is_another_model(asked: str, answered: str) -> None:
    assert not same_model(asked, answered)
