"""Every statement is used, is accepted by PostgreSQL, and writes only its own room's tables."""

import ast
import re
from pathlib import Path

import psycopg
import pytest

from tests.architecture.project import PACKAGE, STATEMENTS, name_of

ROOMS = sorted({file.parents[1] for file in STATEMENTS})
WRITE = re.compile(
    r"\b(?:insert\s+into|merge\s+into|delete\s+from|truncate(?:\s+table)?"
    r"|(?<!for )(?<!for no key )(?<!do )update)\s+(?:only\s+)?([\w.]+)"
)
DEFINE = re.compile(r"\b(?:create|alter|drop|grant|revoke)\b")
TABLE = re.compile(r"\b(accounts|brands|capture|queue|storage)\.\w+")


def bare(file: Path) -> str:
    """The statement without its comments and literals."""
    return re.sub(r"--[^\n]*|'[^']*'", " ", file.read_text("utf-8"))


def prepared(file: Path) -> str:
    """The statement as the driver sends it: numbered parameters, one number a name."""
    names: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return names.setdefault(match[1], f"${len(names) + 1}")

    text = re.sub(r"%\((\w+)\)s", number, file.read_text("utf-8"))
    return text.replace("%%", "%")


def test_postgresql_accepts_every_statement(database_url: str) -> None:
    refused = {}
    with psycopg.connect(database_url, autocommit=True) as connection:
        for file in STATEMENTS:
            try:
                connection.execute(f"prepare checked as {prepared(file)}".encode())
            except psycopg.Error as error:
                refused[name_of(file)] = str(error)
            else:
                connection.execute("deallocate checked")

    assert refused == {}


@pytest.mark.parametrize("room", ROOMS, ids=name_of)
def test_each_statement_of_a_room_is_used_there_and_each_use_has_one(room: Path) -> None:
    used = {
        node.attr
        for module in room.glob("*.py")
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "sql"
    }

    assert used == {file.stem for file in (room / "sql").glob("*.sql")}


def test_a_room_writes_only_tables_of_its_own_schema() -> None:
    foreign = {
        name_of(file): table
        for file in STATEMENTS
        for table in WRITE.findall(bare(file))
        if table.partition(".")[0] != file.relative_to(PACKAGE).parts[0]
    }

    assert foreign == {}


def test_the_queue_and_the_brands_read_no_table_of_a_room_they_do_not_know() -> None:
    seen = {
        (room, schema)
        for file in STATEMENTS
        for room in [file.relative_to(PACKAGE).parts[0]]
        for schema in TABLE.findall(bare(file))
        if room not in (schema, "capture")
    }

    assert seen == set()


def test_only_migrations_define_tables() -> None:
    assert [name_of(file) for file in STATEMENTS if DEFINE.search(bare(file))] == []


def test_sql_stands_in_files_and_never_in_a_string() -> None:
    text = re.compile(r"\b(?:select|insert into|update|delete from)\s[^\"]*\b(?:from|set|values)\b")
    found = [
        f"{name_of(module)}:{node.lineno}"
        for module in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        if text.match(node.value if isinstance(node.value, str) else node.value.decode("latin-1"))
    ]

    assert found == []
