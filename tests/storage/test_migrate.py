from quoth.storage import Database
from quoth.storage.migrate import database_status, migrate


async def test_a_migrated_database_has_nothing_pending(database: Database) -> None:
    status = await database_status(database.addresses)

    assert status.version == status.known
    assert status.pending == ()


async def test_migrating_twice_changes_nothing(empty_database_url: str) -> None:
    first = await migrate(empty_database_url)
    second = await migrate(empty_database_url)

    assert first.applied
    assert second.applied == ()
