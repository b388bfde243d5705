"""One process's hold on the embedded server: start or join it, leave or stop it."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import psycopg

from quoth.observability.events import emit
from quoth.storage.embedded.account import Account, account_for
from quoth.storage.embedded.configuration import Options, configure
from quoth.storage.embedded.create import create, is_created
from quoth.storage.embedded.errors import DataDirInUse, SocketInUse, explain, explained
from quoth.storage.embedded.layout import Layout, prepare, remove_short_socket_dir
from quoth.storage.embedded.locks import FileLock, opened
from quoth.storage.embedded.log import last_line, read_from, rotate, size
from quoth.storage.embedded.postmaster import Postmaster, end_orphans, find_postmaster, serves
from quoth.storage.embedded.reachable import reachable_programs
from quoth.storage.embedded.spawn import spawn
from quoth.storage.embedded.tell import Tell

LOOK_EVERY = timedelta(milliseconds=20)
TELL_EVERY = timedelta(seconds=2)
# How long another process may be at a start with nothing to show for it: making a cluster on a
# slow card takes its time.
START_WITHIN = timedelta(minutes=5)
# How long what is left of a dead server, and is not on this machine, may hold its files.
ELSEWHERE_WITHIN = timedelta(seconds=10)
ANSWER_WITHIN = timedelta(seconds=10)
STOP_WITHIN = timedelta(seconds=60)


class GivenUp(Exception):
    """Our process was told to stop while it waited."""


class EmbeddedServer:
    """All of it blocks: call it from a thread."""

    def __init__(
        self, data_dir: Path, options: Options | None = None, *, tell: Tell = emit
    ) -> None:
        self.layout = Layout(data_dir.absolute())
        self.given_up = threading.Event()
        self._options = options or Options()
        self._tell = tell
        self._using: FileLock | None = None

    @property
    def url(self) -> str:
        """How to reach the server, once it was started."""
        return self.layout.url

    @property
    def is_up(self) -> bool:
        """Say if there is a postmaster that means to stay, ready or not."""
        postmaster = find_postmaster(self.layout)
        return postmaster is not None and not postmaster.stopping

    def start(self) -> None:
        """Return when the server answers: ours, or one that another process has started.

        A long recovery is waited for. Raises `EmbeddedServerError`, or `GivenUp` when told to.
        """
        began = time.monotonic()
        with explained(self.layout.data_dir):
            account = self._account
            prepare(self.layout, account)
            while not self._start_or_join(account):
                self._pause()
        self._tell("embedded.ready", took=timedelta(seconds=time.monotonic() - began))

    def leave(self) -> None:
        """Stop the server unless another process uses it."""
        if self._using is None:
            return
        using, self._using = self._using, None
        try:
            with explained(self.layout.data_dir), self._start_lock():
                if using.take():
                    self._stop()
        finally:
            using.close()

    def tend(self) -> None:
        """Keep the log small."""
        rotate(self.layout, self._account)

    @property
    def _account(self) -> Account:
        return account_for(self.layout.cluster, self.layout.data_dir)

    def _start_or_join(self, account: Account) -> bool:
        """Say if there is a server now; one that we joined may end before it is ready."""
        with self._start_lock() as lock:
            self._use()
            log_size = size(self.layout)
            created = is_created(self.layout)
            postmaster = find_postmaster(self.layout)
            if postmaster is not None and postmaster.stopping:
                # Somebody's SIGTERM: it would wait for our own connections to end.
                self._end(postmaster)
                postmaster = None
            if postmaster is None:
                self._launch(account, lock, created=created)
        if self._becomes_ready():
            return True
        if postmaster is None:
            raise explain(read_from(self.layout, log_size), self.layout.data_dir)
        return False

    def _launch(self, account: Account, lock: FileLock, *, created: bool) -> None:
        programs = reachable_programs(self.layout, account)
        if not created:
            self._tell("embedded.creating", place=self.layout.data_dir)
            create(self.layout, account, programs, self._options, lock)
        log_size = size(self.layout)
        with opened(self.layout.server_lock) as inherited:
            self._own(inherited)
            configure(self.layout, account, self._options)
            spawn(self.layout, account, programs, inherited)
        while find_postmaster(self.layout) is None:
            with opened(self.layout.server_lock) as probe:
                if probe.take():
                    raise explain(read_from(self.layout, log_size), self.layout.data_dir)
            self._pause()

    def _own(self, lock: FileLock) -> None:
        """Take the lock that a server and its children hold as long as one of them lives."""
        waiting = self._waiting("for what is left of a server that died")
        while not lock.take():
            waited = next(waiting)
            if not end_orphans(self.layout, waited, self._tell) and waited > ELSEWHERE_WITHIN:
                host = self.layout.server_lock.read_text("utf-8", "replace")
                raise DataDirInUse(
                    f"a database server on {host or 'another machine'} uses "
                    f"{self.layout.data_dir}: stop it there first"
                )

    def _becomes_ready(self) -> bool:
        waiting = self._waiting("for the database to recover")
        while True:
            postmaster = find_postmaster(self.layout)
            if postmaster is None:
                return False
            refusal = self._knock() if postmaster.ready else "the database system is starting"
            if refusal is None:
                return True
            waited = next(waiting)
            if "the database system is" not in refusal and waited > ANSWER_WITHIN:
                raise SocketInUse(
                    f"the database in {self.layout.data_dir} runs but cannot be reached: {refusal}"
                )

    def _knock(self) -> str | None:
        """Say why no connection comes about, if none does."""
        try:
            psycopg.connect(self.url, connect_timeout=10).close()
        except psycopg.OperationalError as error:
            return str(error).strip().splitlines()[-1]
        return None

    def _stop(self) -> None:
        postmaster = find_postmaster(self.layout)
        if postmaster is not None:
            self._end(postmaster)
            self._tell("embedded.stopped")
        remove_short_socket_dir(self.layout, self._account)

    def _end(self, postmaster: Postmaster) -> None:
        waiting = self._waiting("for the database to stop", steadfast=True)
        for number in (signal.SIGINT, signal.SIGQUIT):
            postmaster.signal(number)
            deadline = time.monotonic() + STOP_WITHIN.total_seconds()
            while time.monotonic() < deadline:
                if not serves(postmaster.pid, self.layout):
                    return
                next(waiting)

    def _use(self) -> None:
        if self._using is None:
            self._using = FileLock.open(self.layout.users_lock)
            self._using.take(shared=True)

    @contextmanager
    def _start_lock(self) -> Iterator[FileLock]:
        with opened(self.layout.start_lock) as lock:
            waiting = self._waiting("for another process that starts or stops the database")
            while not lock.take():
                waited = next(waiting)
                if waited > START_WITHIN and not self.is_up:
                    raise DataDirInUse(
                        f"another process has held {self.layout.start_lock} for "
                        f"{waited.total_seconds():.0f} s and starts nothing: end it, then start "
                        "again"
                    )
            yield lock

    def _pause(self) -> None:
        if self.given_up.wait(LOOK_EVERY.total_seconds()):
            raise GivenUp

    def _waiting(self, what: str, *, steadfast: bool = False) -> Iterator[timedelta]:
        """Pause a moment at each step; tell now and then that we wait, and for what."""
        began = told = time.monotonic()
        while True:
            if steadfast:
                time.sleep(LOOK_EVERY.total_seconds())
            else:
                self._pause()
            now = time.monotonic()
            waited = timedelta(seconds=now - began)
            if now - told > TELL_EVERY.total_seconds():
                told = now
                self._tell(
                    "embedded.waiting", what=what, waited=waited, said=last_line(self.layout)
                )
            yield waited
