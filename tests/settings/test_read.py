from datetime import timedelta
from pathlib import Path

import pytest

from quoth.settings.read import read_settings
from quoth.settings.setting import BadSettings
from quoth.settings.values import Line, Settings

ENGINES = ["chatgpt", "perplexity"]
TOKEN = "a-long-enough-access-token"


@pytest.fixture(autouse=True)
def no_default_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The default settings file of whoever runs the tests is none of their business."""
    file = tmp_path / "default.toml"
    monkeypatch.setattr("quoth.settings.sources.default_config_file", lambda: file)
    return file


def read(flags: dict[str, str] | None = None, /, **environment: str) -> Settings:
    return read_settings(ENGINES, environment=environment, flags=flags)


def line(settings: Settings, name: str) -> Line:
    return next(line for line in settings.lines if line.name == name)


def test_nothing_set_is_the_defaults() -> None:
    settings = read()

    assert str(settings.listen) == "127.0.0.1:8420"
    assert (settings.pool, settings.drain) == (8, timedelta(seconds=30))
    assert settings.database_url is None
    assert settings.engines["chatgpt"].api_key is None
    assert line(settings, "pool").source == "default"


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path: Path) -> None:
    file = tmp_path / "quoth.toml"
    file.write_text('pool = 3\ndrain = "3s"\nlog_level = "error"\n')

    settings = read({"pool": "1"}, QUOTH_POOL="2", QUOTH_DRAIN="2s", QUOTH_CONFIG=str(file))

    assert settings.pool == 1
    assert settings.drain == timedelta(seconds=2)
    assert settings.log_level == "error"
    assert settings.file == file
    assert [line(settings, name).source for name in ("pool", "drain", "log_level")] == [
        "flag --pool",
        "environment",
        f"file {file}",
    ]


def test_the_default_file_is_read_when_it_is_there(no_default_file: Path) -> None:
    no_default_file.write_text("pool = 5\n")

    assert read().pool == 5


def test_an_engine_has_a_table_in_the_file(no_default_file: Path) -> None:
    no_default_file.write_text('[engines.chatgpt]\napi_key = "sk-1"\nslots = 2\n')

    engine = read(QUOTH_CHATGPT_DEADLINE="10m").engines["chatgpt"]

    assert (engine.api_key, engine.slots, engine.deadline) == ("sk-1", 2, timedelta(minutes=10))


def test_hosts_may_be_a_list_in_the_file(no_default_file: Path) -> None:
    no_default_file.write_text('hosts = ["a.example.com", "b.example.com"]\n')

    assert read().hosts == ("a.example.com", "b.example.com")


def test_a_secret_may_be_held_by_a_file(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("sk-from-file\n")

    settings = read(QUOTH_CHATGPT_API_KEY_FILE=str(key))

    assert settings.engines["chatgpt"].api_key == "sk-from-file"
    assert line(settings, "engines.chatgpt.api_key").source == f"environment, {key}"


def test_a_secret_given_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="both set: keep one"):
        read(QUOTH_CHATGPT_API_KEY="sk", QUOTH_CHATGPT_API_KEY_FILE=str(tmp_path / "key"))


def test_a_missing_file_of_a_secret_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        BadSettings, match=r"QUOTH_CHATGPT_API_KEY_FILE names .*key, which cannot be read"
    ):
        read(QUOTH_CHATGPT_API_KEY_FILE=str(tmp_path / "key"))


def test_an_empty_variable_is_an_unset_one() -> None:
    assert read(QUOTH_DATABASE_URL="", QUOTH_POOL="").pool == 8


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("QUOTH_LISTN", "QUOTH_LISTEN"),
        ("QUOTH_CHATGPT_KEY", "QUOTH_CHATGPT_API_KEY"),
        ("QUOTH_PERPLEXTY_API_KEY", "QUOTH_PERPLEXITY_API_KEY"),
        ("QUOTH_GEMINI_MODEL", "QUOTH_CHATGPT_MODEL"),
        ("QUOTH_CONFG", "QUOTH_CONFIG"),
    ],
)
def test_an_unknown_variable_is_refused_with_the_nearest_known_one(
    variable: str, nearest: str
) -> None:
    with pytest.raises(
        BadSettings, match=rf"no environment variable {variable}; the nearest is {nearest}"
    ):
        read(**{variable: "x"})


def test_variables_that_a_container_platform_sets_are_not_ours() -> None:
    links = {
        "QUOTH_SERVICE_HOST": "10.0.0.1",
        "QUOTH_SERVICE_PORT_HTTP": "8420",
        "QUOTH_PORT": "tcp://10.0.0.1:8420",
        "QUOTH_PORT_8420_TCP_ADDR": "10.0.0.1",
    }

    assert read(**links).pool == 8


def test_a_misspelt_port_is_no_container_link() -> None:
    with pytest.raises(BadSettings, match="QUOTH_PORT"):
        read(QUOTH_PORT="8420")


def test_an_unknown_key_in_the_file_is_refused_with_the_nearest_known_one(
    no_default_file: Path,
) -> None:
    no_default_file.write_text("[engines.chatgpt]\nmodle = 'x'\n")

    with pytest.raises(
        BadSettings, match=r"engines\.chatgpt\.modle; the nearest is engines\.chatgpt\.model"
    ):
        read()


@pytest.mark.parametrize("text", ["pool = true", "pool = 2026-01-01", "pool = [1]"])
def test_a_value_of_another_kind_in_the_file_is_refused(no_default_file: Path, text: str) -> None:
    no_default_file.write_text(text)

    with pytest.raises(BadSettings, match="must be text or a number"):
        read()


def test_a_file_that_is_no_toml_is_refused_without_being_quoted(no_default_file: Path) -> None:
    no_default_file.write_text("access_token = s3cret-s3cret\n")

    with pytest.raises(BadSettings, match="is not TOML: something is wrong") as refusal:
        read()

    assert "s3cret" not in str(refusal.value)


def test_a_settings_file_that_was_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="There is no settings file"):
        read(QUOTH_CONFIG=str(tmp_path / "none.toml"))


def test_a_wrong_value_is_one_sentence_with_its_name() -> None:
    with pytest.raises(BadSettings) as refusal:
        read(QUOTH_LISTEN="everywhere")

    assert str(refusal.value) == (
        "QUOTH_LISTEN must be host:port, such as 127.0.0.1:8420 or [::1]:8420, not 'everywhere'."
    )


def test_a_wrong_secret_is_not_repeated() -> None:
    with pytest.raises(BadSettings, match="QUOTH_ACCESS_TOKEN must have at least 16") as refusal:
        read(QUOTH_ACCESS_TOKEN="hunter2")

    assert "hunter2" not in str(refusal.value)
    assert refusal.value.__suppress_context__


def test_secrets_are_in_no_line_and_no_repr() -> None:
    settings = read(
        QUOTH_ACCESS_TOKEN=TOKEN,
        QUOTH_CHATGPT_API_KEY="sk-s3cret",
        QUOTH_CHATGPT_PROXY="http://me:s3cret@proxy:1",
        QUOTH_DATABASE_URL="postgresql://me:s3cret@h/q",
    )

    assert settings.access_token == TOKEN
    shown = repr(settings) + repr(settings.lines)
    assert "s3cret" not in shown
    assert TOKEN not in shown
    assert line(settings, "access_token").value == "(hidden)"
    assert line(settings, "database_url").value == "postgresql://me:***@h/q"


def test_the_direct_way_is_the_same_one_another_one_or_none() -> None:
    url = "postgresql://pooler/q"

    assert read(QUOTH_DATABASE_URL=url).database_direct_url == url
    assert (
        read(QUOTH_DATABASE_URL=url, QUOTH_DATABASE_DIRECT_URL="none").database_direct_url is None
    )
    direct = read(QUOTH_DATABASE_URL=url, QUOTH_DATABASE_DIRECT_URL="postgresql://h/q")
    assert direct.database_direct_url == "postgresql://h/q"


def test_a_direct_way_to_no_database_is_refused() -> None:
    with pytest.raises(BadSettings, match="set both or neither"):
        read(QUOTH_DATABASE_DIRECT_URL="postgresql://h/q")
