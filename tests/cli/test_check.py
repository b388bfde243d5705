import json
import os
import signal
import subprocess
import time
from pathlib import Path

import psycopg
import pytest

from tests.cli.harness import command, environment, quoth, quoth_process

ASKED = ("check", "лучший банк для ИП?", "--brand", "Точка", "--competitor", "Сбербанк")


def rows(url: str, table: str) -> int:
    with psycopg.connect(url) as connection:
        found = connection.execute(f"select count(*) from {table}").fetchone()  # type: ignore[call-overload]
    assert found
    return int(found[0])


def end_all(url: str, outcome: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("update capture.capture set outcome = %s, ended_at = now()", [outcome])


def test_a_check_against_the_simulator_ends_with_0_and_one_document(database_url: str) -> None:
    done = quoth_process(
        *ASKED, "--demo", "--samples", "2", "--json", QUOTH_DATABASE_URL=database_url
    )

    assert done.returncode == 0, done.stderr.decode()
    document = json.loads(done.stdout)
    assert document["state"] == "complete"
    captures = document["captures"]
    assert [(each["engine"], each["sample"]) for each in captures] == [
        ("chatgpt", 1), ("chatgpt", 2), ("perplexity", 1), ("perplexity", 2),
    ]  # fmt: skip
    assert {each["surface"] for each in captures} == {"simulator"}
    assert all(each["text"] and each["citations"] for each in captures)
    assert b"4 of 4" in done.stderr or b"answered" in done.stderr


def test_a_check_that_is_over_is_shown_again(database_url: str) -> None:
    settings = {"QUOTH_DATABASE_URL": database_url}
    first = quoth(*ASKED, "--demo", "--json", **settings)

    again = quoth("check", "--resume", str(json.loads(first.stdout)["check"]), "--json", **settings)

    assert json.loads(again.stdout) == json.loads(first.stdout)


def test_the_same_key_shows_the_same_check(database_url: str) -> None:
    arguments = (*ASKED, "--demo", "--json", "--idempotency-key", "k")
    settings = {"QUOTH_DATABASE_URL": database_url}

    checks = [json.loads(quoth(*arguments, **settings).stdout)["check"] for _ in range(2)]
    other = quoth(*arguments, "--samples", "2", **settings)

    assert checks[0] == checks[1]
    assert other.exit_code == 2
    assert "idempotency key came before with another check" in other.stderr


@pytest.mark.parametrize(("outcome", "code"), [("no_surface", 0), ("failed", 4), ("cancelled", 4)])
def test_the_exit_code_says_how_the_check_ended(database_url: str, outcome: str, code: int) -> None:
    settings = {"QUOTH_DATABASE_URL": database_url}
    check = json.loads(quoth(*ASKED, "--demo", "--json", **settings).stdout)["check"]
    end_all(database_url, outcome)

    shown = quoth("check", "--resume", str(check), **settings)

    assert shown.exit_code == code
    assert f"Check {check} is" in shown.stdout


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
    assert rows(database_url, "capture.check_run") == 0


def test_a_database_that_is_away_is_one_sentence() -> None:
    refused = quoth(*ASKED, "--demo", QUOTH_DATABASE_URL="postgresql://u:s3cret@127.0.0.1:1/q")

    assert refused.exit_code == 1
    assert refused.stderr.count("\n") == 1
    assert "s3cret" not in refused.output


@pytest.mark.slow
def test_ctrl_c_leaves_the_check_and_says_how_to_see_its_end(database_url: str) -> None:
    running = subprocess.Popen(
        command(*ASKED, "--demo", "--samples", "20", "--pool", "1"),
        env=environment(QUOTH_DATABASE_URL=database_url),
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
    assert rows(database_url, "capture.capture") == 40
