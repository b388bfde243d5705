"""The log stays small, and a look at the server changes nothing."""

import asyncio
import os
from pathlib import Path

import psycopg
import pytest

from quoth.observability.events import Event, subscribe
from quoth.storage.embedded import embedded_server, log
from quoth.storage.embedded.server import EmbeddedServer
from quoth.storage.embedded.status import server_status
from tests.storage.embedded.conftest import Hold
from tests.storage.embedded.holder import ask, postmaster_of


def test_the_log_stays_small(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "LARGEST", 100)
    running = EmbeddedServer(data_dir)
    running.start()
    try:
        running.tend()
        running.tend()
        size = running.layout.log.stat().st_size
        ask(running.url, "select pg_reload_conf()")
    finally:
        running.leave()

    text = running.layout.log.read_text("utf-8")
    assert size == 0
    assert "\0" not in text
    assert "received SIGHUP" in text
    assert "ready to accept" in (data_dir / "log/postgresql.log.1").read_text("utf-8")


def test_failed_statements_and_what_people_typed_stay_out_of_the_log(data_dir: Path) -> None:
    running = EmbeddedServer(data_dir)
    running.start()
    try:
        with psycopg.connect(running.url) as connection, pytest.raises(psycopg.Error):
            connection.execute("select 'a secret' from nowhere where 1 = %s", ["another"])
    finally:
        running.leave()

    text = running.layout.log.read_text("utf-8")
    assert "secret" not in text
    assert "another" not in text


def test_a_look_at_nothing_makes_nothing(data_dir: Path) -> None:
    status = server_status(data_dir)

    assert (status.state, status.pid) == ("not created", None)
    assert status.version.startswith("18.")
    assert not data_dir.exists()


def test_a_look_at_a_server(hold: Hold, data_dir: Path) -> None:
    holder = hold(data_dir).ready()

    running = server_status(data_dir)
    holder.end()
    stopped = server_status(data_dir)

    assert running.state == "ready"
    assert running.url == holder.url
    assert running.pid is not None
    assert (stopped.state, stopped.pid) == ("stopped", None)


async def test_events_tell_of_a_start_and_an_end(data_dir: Path) -> None:
    told: list[Event] = []
    unsubscribe = subscribe(told.append)

    async with embedded_server(data_dir) as url:
        assert await asyncio.to_thread(ask, url, "select 1") == 1

    await asyncio.sleep(0)
    unsubscribe()
    names = [event.name for event in told if event.name.startswith("embedded.")]
    assert names == ["embedded.creating", "embedded.ready", "embedded.stopped"]


async def test_a_start_that_is_cancelled_leaves_no_server(hold: Hold, data_dir: Path) -> None:
    hold(data_dir).ready().end()

    async def use() -> None:
        async with embedded_server(data_dir):
            await asyncio.Event().wait()

    for delay in (0.0, 0.01, 0.05, 0.1, 0.2):
        using = asyncio.create_task(use())
        await asyncio.sleep(delay)
        using.cancel()
        await asyncio.gather(using, return_exceptions=True)

        assert postmaster_of(data_dir) is None


def test_keys_in_our_environment_are_not_the_servers(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUOTH_CHATGPT_API_KEY", "sk-very-secret")
    running = EmbeddedServer(data_dir)
    running.start()
    try:
        pid = postmaster_of(data_dir)
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    finally:
        running.leave()

    assert b"sk-very-secret" not in environment
    assert b"sk-very-secret" in os.environb[b"QUOTH_CHATGPT_API_KEY"]
