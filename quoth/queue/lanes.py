"""Lanes: the fleet-wide channel to each engine, with as many places as calls may be out at once."""

from quoth.storage import Statements, Transaction

sql = Statements(__package__)


async def ensure_lane(
    tx: Transaction, name: str, *, slots: int = 4, per_minute: int | None = None
) -> None:
    """Make the lane, or give it these limits; running jobs above a lower limit end in peace."""
    await tx.run(sql.ensure_lane, name=name, slots=slots, per_minute=per_minute)
    await tx.run(sql.ensure_slots, lane=name, slots=slots)
