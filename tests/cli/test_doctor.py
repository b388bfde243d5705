import socket
from pathlib import Path

from tests.cli.harness import quoth

KEYS = {"QUOTH_CHATGPT_API_KEY": "key", "QUOTH_PERPLEXITY_API_KEY": "key"}


def test_where_all_is_well_it_ends_with_0(database_url: str) -> None:
    examined = quoth("doctor", QUOTH_DATABASE_URL=database_url, QUOTH_LISTEN="127.0.0.1:0", **KEYS)

    assert examined.exit_code == 0, examined.output
    assert "answers, schema" in examined.output
    assert "ChatGPT has a key" in examined.output
    assert "All is well." in examined.output


def test_an_address_in_use_is_wrong(database_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        examined = quoth("doctor", QUOTH_DATABASE_URL=database_url, QUOTH_LISTEN=listen, **KEYS)

    assert examined.exit_code == 1
    assert f"wrong  listen      {listen} cannot be listened on" in examined.output


def test_an_open_address_without_a_token_is_wrong(database_url: str) -> None:
    examined = quoth("doctor", QUOTH_DATABASE_URL=database_url, QUOTH_LISTEN="0.0.0.0:0", **KEYS)

    assert examined.exit_code == 1
    assert "set QUOTH_ACCESS_TOKEN" in examined.output


def test_a_database_that_is_away_is_wrong() -> None:
    url = "postgresql://me:s3cret@127.0.0.1:1/q"

    examined = quoth("doctor", QUOTH_DATABASE_URL=url, QUOTH_LISTEN="127.0.0.1:0", **KEYS)

    assert examined.exit_code == 1
    assert "wrong  database    The database does not answer" in examined.output
    assert "s3cret" not in examined.output


def test_no_key_at_all_is_wrong_and_one_that_lacks_is_a_note(database_url: str) -> None:
    settings = {"QUOTH_DATABASE_URL": database_url, "QUOTH_LISTEN": "127.0.0.1:0"}

    none = quoth("doctor", **settings)
    one = quoth("doctor", QUOTH_CHATGPT_API_KEY="key", **settings)

    assert none.exit_code == 1
    assert "wrong  perplexity" in none.output
    assert one.exit_code == 0
    assert "note   perplexity  Perplexity has no key: set QUOTH_PERPLEXITY_API_KEY" in one.output


def test_an_embedded_database_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    data = tmp_path / "data"

    examined = quoth("doctor", QUOTH_DATA_DIR=str(data), QUOTH_LISTEN="127.0.0.1:0", **KEYS)

    assert examined.exit_code == 0, examined.output
    assert "The first start will make the embedded database." in examined.output
    assert not data.exists()


def test_a_data_directory_that_is_a_file_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("not a directory")

    examined = quoth("doctor", QUOTH_DATA_DIR=str(file), QUOTH_LISTEN="127.0.0.1:0", **KEYS)

    assert examined.exit_code == 1
    assert f"{file} is not a directory" in examined.output
