"""How to reach the server, with and without a pooler between."""

from dataclasses import dataclass
from typing import Self


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
    def statement_options(self) -> dict[str, int | None]:
        """Connection options for statements: a transaction pooler keeps no prepared ones."""
        return {} if self.pooled == self.direct else {"prepare_threshold": None}

    @property
    def session(self) -> str:
        """Where to open a connection that is kept: `direct`, else the only way in."""
        return self.direct or self.pooled
