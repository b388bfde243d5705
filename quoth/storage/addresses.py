"""How to reach the server, with and without a pooler between."""

from dataclasses import dataclass
from typing import Self

from psycopg.conninfo import make_conninfo

# A connection that is kept must notice a silent network within seconds, not by the kernel's
# quarter of an hour.
KEEPALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "connect_timeout": 5,
}


@dataclass(frozen=True, slots=True)
class Addresses:
    """`pooled` is for statements, `direct` for LISTEN, the beat and migrations.

    With `direct` absent a transaction pooler is the only way in: no LISTEN (polling covers it)
    and no session lock (the beat alone shows who lives).
    """

    pooled: str
    direct: str | None

    @classmethod
    def of(cls, url: str) -> Self:
        """One server with no pooler between."""
        return cls(pooled=url, direct=url)

    @property
    def has_session(self) -> bool:
        """Whether a connection for statements stays the server's same one all the time."""
        return self.pooled == self.direct

    @property
    def statement_options(self) -> dict[str, int | None]:
        """Connection options for statements: a transaction pooler keeps no prepared ones."""
        return {} if self.has_session else {"prepare_threshold": None}

    @property
    def session(self) -> str:
        """Where to open a connection that is kept: `direct`, else the only way in."""
        return make_conninfo(self.direct or self.pooled, **KEEPALIVE)
