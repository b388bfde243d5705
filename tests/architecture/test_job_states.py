"""The drawn state machine is the one that the database and the statements have."""

import re

import psycopg

from quoth.queue.change import Change
from tests.architecture.project import PACKAGE, ROOT

PAGE = (ROOT / "docs" / "job-states.md").read_text("utf-8")
ARROWS = re.findall(r"^ {4}(\S+) --> (\S+): (.+)$", PAGE, re.MULTILINE)
STATES = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))


def drawn(statement: str) -> set[tuple[str, str]]:
    return {(before, after) for before, after, names in ARROWS if statement in names.split(", ")}


def states_in(statement: str) -> set[str]:
    """The states that a statement's text names."""
    text = (PACKAGE / "queue" / "sql" / f"{statement}.sql").read_text("utf-8")
    words = set(re.findall(r"'(\w+)'", re.sub(r"--[^\n]*", "", text)))
    return words & STATES


def test_the_states_are_those_of_the_constraint(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        [constraint] = connection.execute(
            "select pg_get_constraintdef(oid) from pg_constraint"
            " where conrelid = 'queue.job'::regclass and contype = 'c'"
            " and pg_get_constraintdef(oid) like '%state%'"
        ).fetchall()

    assert set(re.findall(r"'(\w+)'", constraint[0])) == STATES
    assert {state for before, after, _ in ARROWS for state in (before, after)} == {*STATES, "[*]"}


def test_every_arrow_is_drawn_by_a_statement_that_there_is() -> None:
    named = {name for _, _, names in ARROWS for name in names.split(", ")}

    writing = {
        file.stem
        for file in (PACKAGE / "queue").rglob("sql/*.sql")
        if re.search(
            r"update queue\.job\b(.|\n)*?\bstate\b|(insert into|delete from) queue\.job\b",
            file.read_text("utf-8"),
        )
    }
    # It notes that a call is accounted for, and names the state only to be sure of it.
    assert writing - {"checkpoint_job"} == named


def test_an_outcome_leads_where_the_arrows_say() -> None:
    ways_out = set(Change.__annotations__["state"].__args__)

    for held in ("claimed", "running"):
        assert {after for before, after in drawn("change_jobs") if before == held} == ways_out


def test_what_starts_claims_and_takes_back_names_the_states_of_its_arrows() -> None:
    for statement in ("start_job", "claim_jobs", "cancel_jobs", "expire_jobs", "promote_jobs",
                      "reap_jobs", "prune_jobs"):  # fmt: skip
        ends = {state for arrow in drawn(statement) for state in arrow} - {"[*]"}
        assert ends <= states_in(statement), statement
