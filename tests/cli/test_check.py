import asyncio
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from quoth.accounts.workspace import load_workspace
from quoth.capture.new_check import NewBrand, NewCheck, NewPrompt
from quoth.capture.start_check import start_check
from quoth.storage import Database
from tests.api.harness import engines
from tests.cli.harness import command, environment, quoth, quoth_process

ASKED = ("check", "лучший банк для ИП?", "--brand", "Точка", "--competitor", "Сбербанк")
# What makes a check of two captures end in each way, in this order.
ENDS = {
    "complete": b"update capture.capture set outcome = 'no_surface', ended_at = now()",
    "partial": b"update capture.capture set outcome = 'refused' where id = 1",
    "failed": b"update capture.capture set outcome = 'empty'",
    "cancelled": b"update capture.check_run set cancelled_at = now()",
}


def checks_in(url: str) -> int:
    return _count(url, b"select count(*) from capture.check_run")


def captures_in(url: str) -> int:
    return _count(url, b"select count(*) from capture.capture")


def _count(url: str, statement: bytes) -> int:
    with psycopg.connect(url) as connection:
        found = connection.execute(statement).fetchone()
    assert found
    return int(found[0])


def make_check(url: str, *, idempotency_key: str | None = None) -> int:
    """Start the check that ASKED asks for, as a process that is gone since has done."""

    async def start() -> int:
        async with Database.open(url) as database:
            async with database.transaction() as tx:
                workspace = await load_workspace(tx)
            new = NewCheck(
                brand=NewBrand("Точка"),
                competitors=(NewBrand("Сбербанк"),),
                prompts=(NewPrompt("лучший банк для ИП?", "ru", "RU"),),
                engines=("chatgpt", "perplexity"),
                started_by="command",
                idempotency_key=idempotency_key,
            )
            ready = engines("chatgpt", "perplexity")
            return (await start_check(database, workspace, ready, new)).check.id

    return asyncio.run(start())


def change(url: str, statement: bytes) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(statement)


@pytest.mark.slow
def test_a_demo_asks_the_simulator_and_prints_one_document(database_url: str) -> None:
    done = quoth_process(*ASKED, "--demo", "--json", QUOTH_DATABASE_URL=database_url)

    assert done.returncode == 0, done.stderr.decode()
    document = json.loads(done.stdout)
    assert document["state"] == "complete"
    captures = document["captures"]
    assert [each["engine"] for each in captures] == ["chatgpt", "perplexity"]
    assert {each["surface"] for each in captures} == {"simulator"}
    assert all(each["text"] and each["citations"] for each in captures)
    assert done.stderr.decode().count(": answered; named: ") == 2


def test_a_check_that_is_over_is_shown_without_any_key(database_url: str) -> None:
    check = make_check(database_url)
    change(database_url, ENDS["complete"])

    shown = quoth("check", "--resume", str(check), "--json", QUOTH_DATABASE_URL=database_url)

    assert shown.exit_code == 0
    document = json.loads(shown.stdout)
    assert (document["check"], document["state"]) == (check, "complete")
    assert [each["outcome"] for each in document["captures"]] == ["no_surface"] * 2


def test_a_check_that_runs_elsewhere_is_shown_to_its_end(database_url: str) -> None:
    check = make_check(database_url)
    shown = subprocess.Popen(
        command("check", "--resume", str(check)),
        env=environment(QUOTH_DATABASE_URL=database_url),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert shown.stderr
    said = [shown.stderr.readline().decode() for _ in range(3)]

    change(database_url, ENDS["complete"])
    change(database_url, b"select pg_notify('capture_check_changed', '')")
    out, _ = shown.communicate(timeout=60)

    assert "ChatGPT (simulator) cannot be asked here" in said[0]
    assert said[2].startswith(f"Check {check}: 0 of 2")
    assert shown.returncode == 0
    assert f"Check {check} is complete." in out.decode()


def test_the_same_key_shows_the_same_check_and_another_body_is_refused(database_url: str) -> None:
    check = make_check(database_url, idempotency_key="k")
    change(database_url, ENDS["complete"])
    arguments = (*ASKED, "--demo", "--idempotency-key", "k")

    same = quoth(*arguments, QUOTH_DATABASE_URL=database_url)
    other = quoth(*arguments, "--samples", "2", QUOTH_DATABASE_URL=database_url)

    assert f"Check {check} is complete." in same.stdout
    assert other.exit_code == 2
    assert "idempotency key came before with another check" in other.stderr
    assert checks_in(database_url) == 1


def test_the_exit_code_says_how_the_check_ended(database_url: str) -> None:
    check = make_check(database_url)
    codes = {}

    for how, statement in ENDS.items():
        change(database_url, statement)
        shown = quoth("check", "--resume", str(check), QUOTH_DATABASE_URL=database_url)
        codes[how] = shown.exit_code
        assert f"Check {check} is {how}." in shown.stdout

    assert codes == {"complete": 0, "partial": 3, "failed": 4, "cancelled": 5}


def test_without_a_key_nothing_is_opened_or_written(tmp_path: Path) -> None:
    refused = quoth(*ASKED, QUOTH_DATA_DIR=str(tmp_path / "data"))

    assert refused.exit_code == 2
    assert "QUOTH_CHATGPT_API_KEY" in refused.stderr
    assert "--demo" in refused.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--resume", "99"),
        ("--resume", "1", "--brand", "x"),
        ("--resume", "0"),
        ("--resume", "one"),
        ("x", "--brand", "y", "--demo", "--language", "klingon"),
        ("x", "--brand", "y", "--demo", "--competitor", "Y", "--samples", "101"),
        ("", "--brand", "y", "--demo"),
    ],
)
def test_bad_input_ends_with_2_and_starts_nothing(
    database_url: str, arguments: tuple[str, ...]
) -> None:
    refused = quoth("check", *arguments, QUOTH_DATABASE_URL=database_url)

    assert refused.exit_code == 2, refused.output
    assert "Traceback" not in refused.output
    assert checks_in(database_url) == 0


@pytest.mark.slow
def test_a_database_that_is_away_is_one_sentence() -> None:
    refused = quoth(*ASKED, "--demo", QUOTH_DATABASE_URL="postgresql://u:s3cret@127.0.0.1:1/q")

    assert refused.exit_code == 1
    assert refused.stderr.count("\n") == 1
    assert "s3cret" not in refused.output


def test_ctrl_c_leaves_the_check_and_says_how_to_see_its_end(database_url: str) -> None:
    running = subprocess.Popen(
        command(*ASKED, "--demo", "--samples", "20", "--pool", "1"),
        env=environment(QUOTH_DATABASE_URL=database_url, QUOTH_DRAIN="1s"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stderr
    line = running.stderr.readline().decode()
    assert line.startswith("Check 1: 0 of 40")

    time.sleep(0.2)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=60)

    assert running.returncode == 130
    assert said.decode().splitlines()[-1].endswith("quoth check --resume 1.")
    assert captures_in(database_url) == 40
