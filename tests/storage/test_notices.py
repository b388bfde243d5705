"""Notices: heard here at once, told to the others once, and never by a transaction that failed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from quoth.observability.events import Event, subscribe
from quoth.storage import Database, Transaction
from quoth.storage.notices import Notices
from tests.storage.hearing import heard_on, listening

Batch = list[tuple[str, str]]


@asynccontextmanager
async def telling(announced: list[Batch]) -> AsyncIterator[Notices]:
    async def announce(notices: Batch) -> None:
        announced.append(notices)

    async with Notices.open(announce) as notices:
        yield notices


async def test_what_is_sent_is_heard_here_at_once() -> None:
    async with telling([]) as notices:
        heard = heard_on(notices, "x")

        notices.send("x", "1")

        assert heard == ["1"]


async def test_equal_notices_are_told_once_and_in_order() -> None:
    announced: list[Batch] = []

    async with telling(announced) as notices:
        for payload in ("1", "2", "1"):
            notices.send("x", payload)

    assert announced == [[("x", "1"), ("x", "2")]]


async def test_the_last_ones_are_told_before_the_end() -> None:
    announced: list[Batch] = []

    async with telling(announced) as notices:
        notices.send("x", "1")
        await asyncio.sleep(0.005)
        notices.send("x", "2")

    assert [notice for batch in announced for notice in batch] == [("x", "1"), ("x", "2")]


async def test_what_is_being_told_when_the_end_comes_is_not_lost() -> None:
    told: Batch = []

    async def slowly(notices: Batch) -> None:
        await asyncio.sleep(0.05)
        told.extend(notices)

    async with Notices.open(slowly) as notices:
        notices.send("x", "1")
        await asyncio.sleep(0.01)

    assert told == [("x", "1")]


async def test_a_notice_that_cannot_be_told_is_an_event_and_no_error() -> None:
    events: list[Event] = []
    unsubscribe = subscribe(events.append)

    async def fail(_: Batch) -> None:
        raise ConnectionError

    async with Notices.open(fail) as notices:
        notices.send("x", "1")
        await asyncio.sleep(0.005)
    unsubscribe()

    assert [event.name for event in events] == ["loop.failed"]


async def test_who_has_unsubscribed_hears_no_more() -> None:
    async with telling([]) as notices:
        heard: list[str] = []
        stop = notices.subscribe("x", heard.append)

        stop()
        notices.send("x", "1")

        assert heard == []


async def test_a_transaction_that_fails_tells_nothing(database: Database) -> None:
    heard = heard_on(database.notices, "x")

    async def fail() -> None:
        async with database.transaction() as tx:
            tx.notify("x", "1")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    assert heard == []


async def test_a_savepoint_that_fails_takes_its_notices_with_it(database: Database) -> None:
    heard = heard_on(database.notices, "x")

    async def fail(tx: Transaction) -> None:
        async with tx.savepoint():
            tx.notify("x", "within")
            raise ZeroDivisionError

    async with database.transaction() as tx:
        tx.notify("x", "before")
        with pytest.raises(ZeroDivisionError):
            await fail(tx)
        tx.notify("x", "after")

    assert heard == ["before", "after"]


async def test_a_notice_comes_after_what_it_tells_of(database: Database) -> None:
    in_time: list[bool] = []
    transaction_over = False
    database.notices.subscribe("x", lambda _: in_time.append(transaction_over))

    async with database.transaction() as tx:
        tx.notify("x")
        transaction_over = True

    assert in_time == [True]


async def test_another_process_hears_it_too(database: Database, database_url: str) -> None:
    async with Database.open(database_url) as other, listening(other, "x") as heard:
        async with database.autocommit() as tx:
            tx.notify("x", "привет")

        assert await heard.get() == "привет"
