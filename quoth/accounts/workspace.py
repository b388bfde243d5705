"""A workspace: the tenant that every row belongs to."""

from dataclasses import dataclass

from quoth.storage import Statements, Transaction

sql = Statements(__package__)

LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Workspace:
    """Who owns the rows, and in which time zone (an IANA name) its days begin."""

    id: int
    name: str
    time_zone: str


async def load_workspace(tx: Transaction) -> Workspace:
    """The one workspace of this installation."""
    return await tx.one(Workspace, sql.load_workspace, name=LOCAL)
