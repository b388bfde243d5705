from pathlib import Path

from tests.cli.harness import quoth


def test_the_status_names_server_and_schema(database_url: str) -> None:
    shown = quoth("database", "status", QUOTH_DATABASE_URL=database_url)

    assert shown.exit_code == 0
    assert shown.output.startswith("PostgreSQL ")
    assert "this version of Quoth knows" in shown.output
    assert "Pending" not in shown.output


def test_looking_makes_no_embedded_database(tmp_path: Path) -> None:
    data = tmp_path / "data"

    shown = quoth("database", "status", QUOTH_DATA_DIR=str(data))
    dumped = quoth("database", "dump", str(tmp_path / "x"), QUOTH_DATA_DIR=str(data))

    assert "the first start makes one" in shown.output
    assert dumped.exit_code == 1
    assert not data.exists()


def test_what_is_up_to_date_stays_as_it_is(database_url: str) -> None:
    assert quoth("database", "migrate", QUOTH_DATABASE_URL=database_url).output == (
        "Nothing is pending.\n"
    )


def test_a_dump_overwrites_nothing(database_url: str, tmp_path: Path) -> None:
    file = tmp_path / "quoth.dump"
    settings = {"QUOTH_DATABASE_URL": database_url}

    first = quoth("database", "dump", str(file), **settings)
    again = quoth("database", "dump", str(file), **settings)

    assert first.exit_code == 0, first.output
    assert file.read_bytes().startswith(b"PGDMP")
    assert again.exit_code == 1
    assert "is there already" in again.stderr
