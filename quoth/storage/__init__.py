"""PostgreSQL: the pool, transactions with typed rows, and the `.sql` files of each room."""

from quoth.storage.database import Database, DatabaseUnavailable, NotFound, Transaction
from quoth.storage.statements import Statement, Statements

__all__ = ["Database", "DatabaseUnavailable", "NotFound", "Statement", "Statements", "Transaction"]
