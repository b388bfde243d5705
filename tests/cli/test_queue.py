import asyncio
import json
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from quoth.providers.contract import Rejected
from quoth.storage import Database
from tests.capture.harness import Scripted, run_sql, start, values, work
from tests.cli.harness import quoth
from tests.queue.test_reap import ALIVE

On = Callable[[Callable[[Database], Coroutine[Any, Any, Any]]], Any]
LANE = "perplexity/simulator"


@pytest.fixture
def on(database_url: str) -> On:
    """Do something in the database, outside any event loop."""

    async def reach(work: Callable[[Database], Coroutine[Any, Any, Any]]) -> Any:
        async with Database.open(database_url) as database:
            return await work(database)

    return lambda work: asyncio.run(reach(work))


async def fail(database: Database) -> None:
    provider = Scripted(sends=[Rejected("not a question")])
    await start(database, provider, prompts=2)
    await work(database, provider)


async def states(database: Database) -> list[Any]:
    return await values(database, b"select state from queue.job order by id")


def test_lanes_and_workers_are_shown_as_they_are(on: On, database_url: str) -> None:
    on(lambda database: start(database, prompts=3))

    shown = quoth("queue", QUOTH_DATABASE_URL=database_url)
    document = json.loads(quoth("queue", "--json", QUOTH_DATABASE_URL=database_url).output)

    assert shown.exit_code == 0, shown.output
    assert LANE in shown.output
    assert "Nobody works" in shown.output
    assert "open, but nobody works on it" in shown.output
    [lane] = document["lanes"]
    assert (lane["pending"], lane["in_flight"], lane["waiting"], lane["workers"]) == (3, 0, 0, 0)
    assert (document["workers"], document["failed"]) == ([], 0)


def test_a_worker_that_went_without_a_word_is_said_to_be_gone(on: On, database_url: str) -> None:
    async def die(database: Database) -> None:
        await run_sql(
            database, ALIVE, id=uuid4(), lock=1, witnessed=False, silent=timedelta(seconds=50)
        )

    on(die)

    assert "50 s ago: gone" in quoth("queue", QUOTH_DATABASE_URL=database_url).output


def test_a_lane_is_paused_with_a_reason_and_resumed(on: On, database_url: str) -> None:
    on(start)
    paused = quoth("queue", "pause", LANE, "--reason", "no money", QUOTH_DATABASE_URL=database_url)
    shown = quoth("queue", QUOTH_DATABASE_URL=database_url)
    resumed = quoth("queue", "resume", LANE, QUOTH_DATABASE_URL=database_url)

    assert paused.output == f"{LANE} is paused.\n"
    assert "paused: no money" in shown.output
    assert resumed.output == f"{LANE} is open.\n"
    assert "paused" not in quoth("queue", QUOTH_DATABASE_URL=database_url).output


def test_a_lane_that_is_not_there_is_a_sentence(database_url: str) -> None:
    refused = quoth("queue", "resume", "nowhere", QUOTH_DATABASE_URL=database_url)

    assert refused.exit_code == 2
    assert "There is no lane nowhere" in refused.stderr


def test_failed_jobs_are_listed_and_tried_again_once(on: On, database_url: str) -> None:
    on(fail)
    settings = {"QUOTH_DATABASE_URL": database_url}

    listed = quoth("queue", "failed", **settings)
    [job_id] = on(
        lambda database: values(database, b"select id from queue.job where state = 'failed'")
    )
    again = quoth("queue", "retry", str(job_id), **settings)
    twice = quoth("queue", "retry", str(job_id), **settings)

    assert "not a question" in listed.output
    assert again.output == "Tried again: 1.\n"
    assert (twice.stdout, twice.exit_code) == ("Tried again: 0.\n", 2)
    assert f"No job with this id has failed: {job_id}." in twice.stderr
    assert sorted(on(states)) == ["done", "pending"]
    assert quoth("queue", "failed", **settings).output == "No job has failed.\n"


def test_failed_jobs_are_a_document_that_goes_on_where_it_ended(on: On, database_url: str) -> None:
    async def fail_twice(database: Database) -> None:
        provider = Scripted(sends=[Rejected("first"), Rejected("second")])
        await start(database, provider, prompts=2)
        await work(database, provider)

    on(fail_twice)
    asked = ("queue", "failed", "--json", "--limit", "1")
    settings = {"QUOTH_DATABASE_URL": database_url}

    newest = json.loads(quoth(*asked, **settings).output)
    rest = json.loads(quoth(*asked, "--before", str(newest["next"]), **settings).output)
    listed = quoth("queue", "failed", "--limit", "1", **settings).output

    reasons = [document["failed"][0]["reason"] for document in (newest, rest)]
    assert ["first" in reason for reason in reasons] == [False, True]
    assert (len(newest["failed"]), rest["next"]) == (1, None)
    assert f"quoth queue failed --before {newest['next']}" in listed


def test_only_the_failed_jobs_of_a_lane_are_meant_where_it_is_named(
    on: On, database_url: str
) -> None:
    on(fail)
    on(lambda database: run_sql(database, b"insert into queue.lane values ('other', 1)"))
    settings = {"QUOTH_DATABASE_URL": database_url}

    other = quoth("queue", "discard", "--all", "--lane", "other", **settings)
    theirs = quoth("queue", "discard", "--all", "--lane", LANE, **settings)
    refused = [
        quoth("queue", "failed", "--lane", "nowhere", **settings),
        quoth("queue", "retry", "--all", "--lane", "nowhere", **settings),
        quoth("queue", "retry", "1", "--lane", LANE, **settings),
    ]

    assert [other.output, theirs.output] == ["Forgotten: 0.\n", "Forgotten: 1.\n"]
    assert [each.exit_code for each in refused] == [2, 2, 2]


def test_a_kind_that_nobody_here_knows_is_a_sentence(on: On, database_url: str) -> None:
    on(fail)
    on(lambda database: run_sql(database, b"update queue.job set kind = 'of.tomorrow'"))

    refused = quoth("queue", "retry", "--all", QUOTH_DATABASE_URL=database_url)

    assert refused.exit_code == 2
    assert "of.tomorrow" in refused.stderr


def test_failed_jobs_are_forgotten_and_their_checks_are_not(on: On, database_url: str) -> None:
    on(fail)
    settings = {"QUOTH_DATABASE_URL": database_url}

    forgotten = quoth("queue", "discard", "--all", **settings)

    assert forgotten.output == "Forgotten: 1.\n"
    assert on(states) == ["done"]
    outcomes = b"select outcome from capture.capture order by outcome"
    assert on(lambda database: values(database, outcomes)) == ["answered", "failed"]


def test_nothing_is_tried_again_or_forgotten_unless_it_is_named(database_url: str) -> None:
    for deed in ("retry", "discard"):
        refused = quoth("queue", deed, QUOTH_DATABASE_URL=database_url)
        both = quoth("queue", deed, "1", "--all", QUOTH_DATABASE_URL=database_url)
        assert (refused.exit_code, both.exit_code) == (2, 2)
