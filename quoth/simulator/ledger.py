"""What was bought from the simulated engines: the truth that tests and demos compare with."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import inf
from typing import Literal

from quoth.simulator.faults import Fault
from quoth.simulator.journal import Journal
from quoth.simulator.order import Order

Status = Literal["queued", "in_progress", "ended", "cancelled"]


@dataclass(slots=True)
class Purchase:
    """One accepted, paid call. Where it stands follows from the clock; nothing runs meanwhile.

    `nth` counts the purchases of the same question at the same engine, from 1.
    """

    id: str
    engine: str
    order: Order
    nth: int
    accepted_at: float
    begins_at: float
    ends_at: float
    fate: Fault | None = None
    cancelled_at: float | None = None
    deleted: bool = False
    polls: int = 0

    def status(self, now: float) -> Status:
        """Return where the job stands at `now`."""
        if self.cancelled_at is not None:
            return "cancelled"
        if now >= self.ends_at:
            return "ended"
        return "in_progress" if now >= self.begins_at else "queued"

    def over_at(self) -> float:
        """Return when the engine stopped or will stop working on it; infinite if never."""
        return self.ends_at if self.cancelled_at is None else self.cancelled_at


class Ledger:
    """All purchases since the start or the last reset, in order."""

    def __init__(self, journal: Journal | None = None) -> None:
        self.purchases: dict[str, Purchase] = {}
        self.creating: Counter[str] = Counter()
        self.most_creating: Counter[str] = Counter()
        self._bought: Counter[tuple[str, str]] = Counter()
        self._journal = journal
        if journal:
            self._remember(journal)

    def next_nth(self, engine: str, order: Order) -> int:
        """Return which purchase of this question the next one will be."""
        return self._bought[engine, order.question] + 1

    def enter(self, purchase: Purchase) -> None:
        """Count a purchase; it outlives this process if there is a journal."""
        self._keep(purchase)
        if self._journal:
            self._journal.write({"purchase": asdict(purchase)})

    def find(self, engine: str, purchase_id: str) -> Purchase | None:
        """Return the purchase unless it is unknown, another engine's or deleted."""
        found = self.purchases.get(purchase_id)
        return found if found and found.engine == engine and not found.deleted else None

    def cancel(self, purchase: Purchase) -> None:
        """Stop the job where it stands."""
        purchase.cancelled_at = time.time()
        self._note(purchase)

    def delete(self, purchase: Purchase) -> None:
        """Make the purchase unknown to its buyer; it stays counted."""
        purchase.deleted = True
        self._note(purchase)

    def reset(self) -> None:
        """Forget everything."""
        self.purchases.clear()
        self.most_creating.clear()
        self._bought.clear()
        if self._journal:
            self._journal.clear()

    def close(self) -> None:
        """Let go of the journal."""
        if self._journal:
            self._journal.close()

    @contextmanager
    def create_call(self, engine: str) -> Iterator[None]:
        """Count how many paid calls an engine answers at the same time."""
        self.creating[engine] += 1
        self.most_creating[engine] = max(self.most_creating[engine], self.creating[engine])
        try:
            yield
        finally:
            self.creating[engine] -= 1

    def _keep(self, purchase: Purchase) -> None:
        self.purchases[purchase.id] = purchase
        self._bought[purchase.engine, purchase.order.question] += 1

    def _note(self, purchase: Purchase) -> None:
        if self._journal:
            self._journal.write(
                {
                    "id": purchase.id,
                    "cancelled_at": purchase.cancelled_at,
                    "deleted": purchase.deleted,
                }
            )

    def _remember(self, journal: Journal) -> None:
        for entry in journal.read():
            match entry:
                case {"id": str(known), "cancelled_at": at, "deleted": bool(deleted)}:
                    self.purchases[known].cancelled_at = at
                    self.purchases[known].deleted = deleted
                case {"purchase": dict(fields)}:
                    order = Order(**fields.pop("order"))
                    fate = fields.pop("fate")
                    self._keep(
                        Purchase(order=order, fate=Fault(**fate) if fate else None, **fields)
                    )


def most_at_once(purchases: list[Purchase]) -> int:
    """Return how many of the jobs an engine worked on at the same time, at most."""
    edges = [(purchase.accepted_at, 1) for purchase in purchases]
    edges += [(over, -1) for p in purchases if (over := p.over_at()) < inf]
    most = now = 0
    # At the same instant an end comes before a beginning.
    for _, step in sorted(edges):
        now += step
        most = max(most, now)
    return most
