"""PostgreSQL: the pool, transactions with typed rows, and the `.sql` files of each room."""

from psycopg.types.json import Jsonb

from quoth.storage.database import Database, DatabaseUnavailable, NotFound, Transaction
from quoth.storage.statements import Statement, Statements

__all__ = [
    "Database",
    "DatabaseUnavailable",
    "Jsonb",
    "NotFound",
    "Statement",
    "Statements",
    "Transaction",
]
