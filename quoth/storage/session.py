"""A connection of its own for a thread: the beat's, which must not wait for the event loop."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg import Connection, InterfaceError, OperationalError
from psycopg.rows import tuple_row

from quoth.storage.addresses import Addresses
from quoth.storage.database import DatabaseUnavailable
from quoth.storage.listen import KEEPALIVE
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
                connect_timeout=5,
                prepare_threshold=None if addresses.direct is None else 5,
                **KEEPALIVE,
            ) as connection:
                yield cls(connection)
        except (OperationalError, InterfaceError) as error:
            raise DatabaseUnavailable(str(error).strip()) from error

    def row(self, statement: Statement, **values: object) -> tuple[Any, ...] | None:
        """Run a statement; return its first row."""
        with self._connection.cursor(row_factory=tuple_row) as cursor:
            cursor.execute(statement, values)
            return cursor.fetchone()
