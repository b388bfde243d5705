import json
from pathlib import Path

from tests.cli.harness import quoth

TOKEN = "a-long-enough-access-token"


def test_every_setting_is_shown_with_its_source(tmp_path: Path) -> None:
    file = tmp_path / "quoth.toml"
    file.write_text("drain = '1m'\n")

    shown = quoth("config", "--pool", "3", QUOTH_LISTEN="[::1]:0", QUOTH_CONFIG=str(file))

    assert shown.exit_code == 0
    lines = {line.split()[0]: line.split()[1:] for line in shown.output.splitlines() if line}
    assert lines["QUOTH_POOL"] == ["3", "flag", "--pool"]
    assert lines["QUOTH_LISTEN"] == ["[::1]:0", "environment"]
    assert lines["QUOTH_DRAIN"] == ["1m", "file", str(file)]
    assert lines["QUOTH_LOG_LEVEL"] == ["info", "default"]
    assert "QUOTH_PERPLEXITY_PER_MINUTE" in lines


def test_secrets_are_hidden_in_both_forms() -> None:
    secrets = {
        "QUOTH_ACCESS_TOKEN": TOKEN,
        "QUOTH_CHATGPT_API_KEY": "sk-s3cret",
        "QUOTH_DATABASE_URL": "postgresql://me:s3cret@host/db",
    }

    for shown in (quoth("config", **secrets), quoth("config", "--json", **secrets)):
        assert TOKEN not in shown.output
        assert "s3cret" not in shown.output
        assert "(hidden)" in shown.output
        assert "postgresql://me:***@host/db" in shown.output


def test_the_document_has_names_values_and_sources() -> None:
    document = json.loads(quoth("config", "--json", QUOTH_POOL="2").stdout)

    pool = next(each for each in document["settings"] if each["name"] == "pool")
    assert pool == {
        "name": "pool", "variable": "QUOTH_POOL", "value": "2", "source": "environment",
    }  # fmt: skip


def test_a_wrong_setting_is_one_sentence_and_ends_with_2() -> None:
    refused = quoth("config", QUOTH_POOL="many")

    assert refused.exit_code == 2
    assert refused.stderr == (
        "quoth: QUOTH_POOL must be a whole number from 1 to 10000, not 'many'.\n"
    )


def test_an_unknown_setting_ends_every_command_with_2() -> None:
    for name in ("serve", "work", "demo", "check", "doctor", "config"):
        refused = quoth(name, QUOTH_LISTN="x")
        assert refused.exit_code == 2
        assert "the nearest is QUOTH_LISTEN" in refused.stderr


def test_the_file_of_the_flag_wins_over_the_variable(tmp_path: Path) -> None:
    file = tmp_path / "quoth.toml"
    file.write_text("pool = 5\n")

    shown = quoth("config", "--config", str(file), QUOTH_CONFIG=str(tmp_path / "none.toml"))

    assert f"file {file}" in shown.output
