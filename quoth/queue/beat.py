"""The beat: a thread with its own connection shows that this process lives.

The event loop may be busy and the pool may be empty; the thread needs neither. Its connection also
holds a session advisory lock, which the server lets go the moment the process is gone. The lock is
a witness only, never ownership: a restarted server has forgotten every lock.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from quoth.observability.events import emit
from quoth.queue.reap import LEASE
from quoth.storage import DatabaseUnavailable, Statements
from quoth.storage.addresses import Addresses
from quoth.storage.session import Session

sql = Statements(__package__)

PERIOD = timedelta(seconds=1)
RECONNECT = timedelta(milliseconds=200)
# A worker whose proof of life is older than this stops claiming, well before others judge it.
PROOF = LEASE - timedelta(seconds=1.5)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who works: a fresh id a start, never a name that a predecessor had."""

    id: UUID
    version: str
    lanes: Sequence[str]


class Beat:
    """Started with the worker, stopped after its last job."""

    def __init__(self, addresses: Addresses, identity: Identity) -> None:
        self._addresses = addresses
        self._identity = identity
        self._lock_key = secrets.randbits(62)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="quoth-beat", daemon=True)
        # Written by the thread, read by the loop; a float and an assignment need no lock.
        self._acknowledged = -PROOF.total_seconds()
        self._good_since = time.monotonic()

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def stop(self) -> None:
        """End the beat; blocks until its thread has ended (at most one statement)."""
        self._stop.set()
        self._thread.join(timeout=10)

    @property
    def proved(self) -> bool:
        """Whether this process can prove that it lives, so that it may claim."""
        return time.monotonic() - self._acknowledged < PROOF.total_seconds()

    @property
    def patient(self) -> bool:
        """Whether our own beats have been good for two leases, so that we may judge others."""
        return self.proved and time.monotonic() - self._good_since > 2 * LEASE.total_seconds()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with Session.open(self._addresses) as session:
                    self._register(session)
                    while not self._stop.wait(PERIOD.total_seconds()):
                        self._beat(session)
                    session.run(sql.leave_worker, id=self._identity.id)
            except DatabaseUnavailable as error:
                emit("beat.lost", error=str(error))
                self._stop.wait(RECONNECT.total_seconds())

    def _register(self, session: Session) -> None:
        witnessed = self._addresses.direct is not None
        if witnessed:
            session.run(sql.lock_worker, lock_key=self._lock_key)
        sent = time.monotonic()
        session.run(
            sql.register_worker,
            id=self._identity.id,
            host=socket.gethostname(),
            pid=os.getpid(),
            version=self._identity.version,
            lanes=list(self._identity.lanes),
            lock_key=self._lock_key,
            witnessed=witnessed,
        )
        self._note(sent)

    def _beat(self, session: Session) -> None:
        sent = time.monotonic()
        if not session.run(sql.beat, id=self._identity.id):
            # Buried while we were frozen or cut off: our jobs are others' by now, we are not.
            self._register(session)
        self._note(sent)

    def _note(self, sent: float) -> None:
        if sent - self._acknowledged > LEASE.total_seconds():
            self._good_since = sent
        self._acknowledged = sent
