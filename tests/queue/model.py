"""What the queue must be whatever happens to it, looked at after every step.

`Watch` compares the rows before and after a step: they move only along the arrows drawn in
`docs/job-states.md`, by a statement that the step runs, and what holds of a lane, a fence and a
result holds at all times.
"""

from dataclasses import dataclass, field
from uuid import UUID

from quoth.storage import Database, Statement
from tests.architecture.test_job_states import ARROWS

ROWS = Statement(
    b"select id, lane, state, fence, tries, max_tries, crashes, worker, slot from queue.job"
)
PLACES = Statement(
    b"select slot.lane, slot.number, slot.job_id, lane.slots"
    b" from queue.slot join queue.lane on lane.name = slot.lane where slot.job_id is not null"
)
SAVED = Statement(b"select job_id from saved")

# What a call of one of these may run; `*` is any statement of the queue's upkeep.
HELD = ("claimed", "running")
OVER = ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True)
class Row:
    """A job as its row has it."""

    id: int
    lane: str
    state: str
    fence: int
    tries: int
    max_tries: int
    crashes: int
    worker: UUID | None
    slot: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a lane that a job has, and how many the lane has."""

    lane: str
    number: int
    job_id: int
    slots: int


@dataclass(slots=True)
class Watch:
    """The rows as they were, and what has been seen of them."""

    database: Database
    rows: dict[int, Row] = field(default_factory=dict)
    steps: int = 0

    async def look(self, *statements: str) -> dict[int, Row]:
        """Check all that must hold after a step that ran these statements; return the rows."""
        async with self.database.autocommit() as tx:
            found = await tx.all(Row, ROWS)
            places = await tx.all(Place, PLACES)
            saved = await tx.values(SAVED)
        rows = {row.id: row for row in found}
        self._moved_along_the_arrows(rows, statements)
        self._one_owner_with_a_place(rows, places)
        self._one_result(rows, saved)
        for row in found:
            assert 0 <= row.tries <= row.max_tries, row
        self.rows = rows
        self.steps += 1
        return rows

    def _moved_along_the_arrows(self, rows: dict[int, Row], statements: tuple[str, ...]) -> None:
        arrows = {
            (before, after)
            for before, after, names in ARROWS
            if set(names.split(", ")) & set(statements)
        }
        for job_id in self.rows.keys() | rows.keys():
            before, after = self.rows.get(job_id), rows.get(job_id)
            old = before.state if before else "[*]"
            new = after.state if after else "[*]"
            if old != new:
                assert (old, new) in arrows, f"{job_id}: {old} -> {new} by {statements}"
            if before and after:
                assert after.fence >= before.fence, (before, after)
                if before.worker != after.worker:
                    assert after.fence > before.fence, (before, after)

    @staticmethod
    def _one_owner_with_a_place(rows: dict[int, Row], places: list[Place]) -> None:
        taken = {(place.lane, place.number): place.job_id for place in places}
        assert len(set(taken.values())) == len(places), "a job has two places"
        for place in places:
            assert place.number < place.slots
            row = rows[place.job_id]
            assert (row.lane, row.slot) == (place.lane, place.number), "a place nobody is in"
            assert row.state not in OVER
        for row in rows.values():
            assert (row.state in HELD) == (row.worker is not None), row
            if row.state in HELD:
                assert row.slot is not None
            if row.slot is not None:
                assert taken.get((row.lane, row.slot)) == row.id, row

    @staticmethod
    def _one_result(rows: dict[int, Row], saved: list[int]) -> None:
        assert len(saved) == len(set(saved)), "a result was saved twice"
        done = {row.id for row in rows.values() if row.state == "done"}
        assert done <= set(saved), "done without its result"
        assert all(rows[job].state == "done" for job in saved if job in rows), "saved, not done"
