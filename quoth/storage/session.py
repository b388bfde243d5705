"""A connection of its own for a thread: the beat's, which must not wait for the event loop."""

from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import Connection, InterfaceError, OperationalError

from quoth.storage.addresses import Addresses
from quoth.storage.database import DatabaseUnavailable
from quoth.storage.statements import Statement


class Session:
    """Blocking statements, each its own transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def open(cls, addresses: Addresses) -> Iterator["Session"]:
        """Connect; `DatabaseUnavailable` here and in the block when the server is away."""
        try:
            with Connection.connect(
                addresses.session,
                autocommit=True,
                prepare_threshold=None if addresses.direct is None else 5,
            ) as connection:
                yield cls(connection)
        except (OperationalError, InterfaceError) as error:
            raise DatabaseUnavailable(str(error).strip()) from error

    def run(self, statement: Statement, **values: object) -> int:
        """Run a statement for its effect; return how many rows it touched or gave."""
        return self._connection.execute(statement, values).rowcount
