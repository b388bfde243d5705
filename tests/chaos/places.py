"""The lanes' places, looked at all the while: never two jobs in one, never more than there are."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

from quoth.storage import Database, DatabaseUnavailable, Statement

LOOK_EVERY = 0.25

TAKEN = Statement(
    b"""
    select lane.name as lane, lane.slots,
           count(job.id) as jobs,
           count(distinct job.slot) as places,
           count(*) filter (where slot.job_id is distinct from job.id) as mistaken
      from queue.lane
      join queue.job on job.lane = lane.name and job.slot is not null
      left join queue.slot on slot.lane = job.lane and slot.number = job.slot
     group by lane.name, lane.slots
    """
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A lane at one instant; `mistaken` places do not know the job that is in them."""

    lane: str
    slots: int
    jobs: int
    places: int
    mistaken: int


class Places:
    """Looks several times a second; keeps the most it saw, and what must not be."""

    def __init__(self, database: Database) -> None:
        self.looks = 0
        self.most: Counter[str] = Counter()
        self.breaches: list[str] = []
        self._database = database

    async def watch(self) -> None:
        """Until cancelled."""
        while True:
            with suppress(DatabaseUnavailable):
                await self._look()
            await asyncio.sleep(LOOK_EVERY)

    async def _look(self) -> None:
        async with self._database.autocommit() as tx:
            lanes = await tx.all(Taken, TAKEN)
        self.looks += 1
        for each in lanes:
            self.most[each.lane] = max(self.most[each.lane], each.jobs)
            if each.mistaken or each.jobs != each.places or each.jobs > each.slots:
                self.breaches.append(f"places: {each}")
