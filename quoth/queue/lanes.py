"""Lanes: the fleet-wide channel to each engine, with as many places as calls may be out at once."""

from quoth.queue.channels import JOBS_READY
from quoth.storage import NotFound, Statements, Transaction

sql = Statements(__package__)


async def ensure_lane(
    tx: Transaction, name: str, *, slots: int = 4, per_minute: int | None = None
) -> None:
    """Make the lane, or give it these limits; running jobs above a lower limit end in peace."""
    await tx.run(sql.ensure_lane, name=name, slots=slots, per_minute=per_minute)
    await tx.run(sql.ensure_slots, lane=name, slots=slots)


async def pause_lane(tx: Transaction, name: str, reason: str) -> None:
    """Start no more calls in the lane; those that are out go on. Raises `NotFound`."""
    if not await tx.run(sql.pause_lane, name=name, reason=reason):
        raise NotFound(f"lane {name}")


async def resume_lane(tx: Transaction, name: str) -> None:
    """Let calls start again, after a pause or in a cool-down. Raises `NotFound`."""
    if not await tx.run(sql.resume_lane, name=name):
        raise NotFound(f"lane {name}")
    tx.notify(JOBS_READY)
