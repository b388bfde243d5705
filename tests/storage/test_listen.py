"""A listener that is cut off or deaf is back soon, and then says that it may have missed things."""

import asyncio
import os
import signal
import time
from datetime import timedelta

import pytest

from quoth.observability.events import Event, subscribe
from quoth.storage import Database, Statement
from quoth.storage import listen as listen_module
from quoth.storage.addresses import Addresses
from quoth.storage.listen import listen
from tests.storage.hearing import listening

LISTENERS = Statement(
    b"select pid from pg_stat_activity"
    b" where datname = current_database() and query ~* '^(listen|notify) '"
    b" and pid <> pg_backend_pid()"
)
TERMINATE = Statement(b"select pg_terminate_backend(%(pid)s)")
TELL = Statement(b"select pg_notify('x', %(payload)s)")


async def listener_of(database: Database) -> int:
    async with database.autocommit() as tx:
        [pid] = await tx.values(LISTENERS)
    assert isinstance(pid, int)
    return pid


async def tell(database: Database, payload: str) -> None:
    async with database.autocommit() as tx:
        await tx.run(TELL, payload=payload)


async def test_a_listener_whose_connection_is_cut_comes_back(database: Database) -> None:
    events: list[Event] = []
    unsubscribe = subscribe(events.append)
    async with listening(database, "x") as heard:
        pid = await listener_of(database)

        async with database.autocommit() as tx:
            await tx.run(TERMINATE, pid=pid)
            missed = await asyncio.wait_for(heard.get(), 5)
        await tell(database, "after")

        assert missed == ""
        assert await asyncio.wait_for(heard.get(), 5) == "after"
    unsubscribe()
    assert "listen.lost" in [event.name for event in events]


async def silence(database: Database) -> int:
    """Stop the listener's backend: no error, no notices, as with a network that went away."""
    pid = await listener_of(database)
    os.kill(pid, signal.SIGSTOP)
    return pid


@pytest.fixture
def short_periods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen_module, "PING_EVERY", timedelta(seconds=0.5))
    monkeypatch.setattr(listen_module, "PING_WITHIN", timedelta(seconds=0.5))
    monkeypatch.setattr(listen_module, "RECONNECT_AFTER", timedelta(seconds=0.1))


@pytest.mark.usefixtures("short_periods")
async def test_a_listener_that_has_become_deaf_comes_back(database: Database) -> None:
    async with listening(database, "x") as heard:
        pid = await silence(database)
        began = time.monotonic()
        try:
            missed = await asyncio.wait_for(heard.get(), 20)
            await tell(database, "after")

            assert missed == ""
            assert await asyncio.wait_for(heard.get(), 5) == "after"
            assert time.monotonic() - began < 3
        finally:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
async def test_a_listener_that_has_become_deaf_is_back_within_20_s(database: Database) -> None:
    async with listening(database, "x") as heard:
        pid = await silence(database)
        try:
            assert await asyncio.wait_for(heard.get(), 20) == ""
        finally:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.usefixtures("short_periods")
async def test_a_listener_that_hears_its_own_pings_stays(database: Database) -> None:
    async with listening(database, "x") as heard:
        pid = await listener_of(database)
        await asyncio.sleep(2)

        await tell(database, "still here")

        assert await asyncio.wait_for(heard.get(), 5) == "still here"
        assert await listener_of(database) == pid


async def test_without_a_direct_way_there_is_nothing_to_listen_on(database_url: str) -> None:
    pooled = Addresses(pooled=database_url, direct=None)

    async with Database.open(pooled) as database:
        await asyncio.wait_for(listen(database, ["x"]), 1)
