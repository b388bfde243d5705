import asyncio
from datetime import timedelta

import pytest

from quoth.accounts.workspace import Workspace, load_workspace
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.new_check import (
    BadCheck,
    EngineNotReady,
    IdempotencyConflict,
    NewBrand,
    NewCheck,
)
from quoth.capture.start_check import Started, start_check
from quoth.capture.views.load_check import load_summary
from quoth.queue.channels import JOBS_READY
from quoth.storage import Database
from tests.capture.harness import (
    WORKSPACE,
    Scripted,
    check,
    engines_of,
    new_check,
    route,
    run_sql,
    start,
    values,
)

CHECKS = b"select id from capture.check_run order by id"
JOBS = b"select key from queue.job order by turn, id"


async def started(database: Database, new: NewCheck) -> Started:
    return await start_check(database, WORKSPACE, engines_of(Scripted()), new)


async def test_the_local_workspace_is_there_from_the_first_migration_on(
    database: Database,
) -> None:
    async with database.autocommit() as tx:
        assert await load_workspace(tx) == WORKSPACE


async def test_a_check_is_all_its_captures_and_a_job_for_each(database: Database) -> None:
    check_id = await start(database, Scripted(), Scripted(route("chatgpt")), prompts=3, samples=2)

    view = await check(database, check_id)
    assert (view.state, view.total, view.over) == ("running", 12, 0)
    assert [brand.name for brand in view.brands] == ["Точка", "Сбербанк"]
    assert view.ours.domains == ("tochka.com",)
    assert [engine.title for engine in view.engines] == ["Perplexity", "ChatGPT"]
    assert {capture.state for capture in view.captures} == {"pending"}
    assert view.expires_at - view.started_at == timedelta(hours=24)
    keys = await values(database, JOBS)
    assert sorted(keys) == sorted(f"{capture.id}:1" for capture in view.captures)


async def test_what_a_start_returns_is_what_is_in_the_database(database: Database) -> None:
    first = await started(database, new_check(key="once", samples=3))

    async with database.autocommit() as tx:
        assert first.check == await load_summary(tx, WORKSPACE, first.check.id)
    again = await started(database, new_check(key="once", samples=3))
    assert (again.check, again.created) == (first.check, False)


async def test_every_cell_has_its_first_turn_before_any_has_its_second(
    database: Database,
) -> None:
    check_id = await start(database, prompts=3, samples=2)

    view = await check(database, check_id)
    cell = {f"{one.id}:1": (one.sample, one.prompt_id) for one in view.captures}
    asked = [cell[key] for key in await values(database, JOBS)]
    prompts = [prompt.id for prompt in view.prompts]
    assert asked == [(sample, prompt) for sample in (1, 2) for prompt in prompts]


async def test_jobs_carry_ids_only_and_the_routes_lane_and_deadline(database: Database) -> None:
    check_id = await start(database)

    [capture] = (await check(database, check_id)).captures
    assert await values(database, b"select payload from queue.job") == [
        {"workspace": 1, "capture": capture.id}
    ]
    assert await values(database, b"select lane from queue.job") == ["perplexity/simulator"]
    assert await values(database, b"select flow from queue.job") == [f"check:{check_id}"]
    assert await values(database, b"select deadline from queue.job") == [timedelta(seconds=10)]


async def test_a_refused_check_writes_nothing(database: Database) -> None:
    with pytest.raises(EngineNotReady):
        await started(database, new_check(engines=("chatgpt",)))
    with pytest.raises(BadCheck):
        await started(database, new_check(prompts=0))

    assert await values(database, CHECKS) == []
    assert await values(database, b"select id from brands.brand") == []


async def test_a_name_that_another_brand_is_known_by_is_refused(database: Database) -> None:
    await started(database, new_check())

    with pytest.raises(BadCheck, match="Сбер is a name of both Сбер and Сбербанк"):
        await started(database, new_check(competitors=(NewBrand("Сбер"), NewBrand("Сбербанк"))))

    assert len(await values(database, b"select id from brands.brand")) == 2


async def test_a_check_that_fails_half_way_leaves_nothing(database: Database) -> None:
    await run_sql(database, b"alter table queue.job add constraint none check (false)")

    with pytest.raises(Exception, match="none"):
        await started(database, new_check())

    assert await values(database, CHECKS) == []
    assert await values(database, b"select id from brands.brand") == []


async def test_the_same_key_makes_the_same_check(database: Database) -> None:
    first = await started(database, new_check(key="click"))

    again = await started(database, new_check(key="click"))

    assert again == Started(first.check, created=False)
    assert len(await values(database, JOBS)) == 1


async def test_without_a_key_each_request_is_a_check(database: Database) -> None:
    first = await started(database, new_check())
    second = await started(database, new_check())

    assert first.check.id != second.check.id
    assert second.created


async def test_the_same_key_with_another_request_is_a_conflict(database: Database) -> None:
    await started(database, new_check(key="click"))

    with pytest.raises(IdempotencyConflict):
        await started(database, new_check(key="click", samples=2))

    assert len(await values(database, CHECKS)) == 1


async def test_clicks_at_the_same_moment_make_one_check(database: Database) -> None:
    clicks = await asyncio.gather(
        *(started(database, new_check(key="click", prompts=5)) for _ in range(4))
    )

    assert len({click.check.id for click in clicks}) == 1
    assert sum(click.created for click in clicks) == 1
    assert len(await values(database, JOBS)) == 5


async def test_different_requests_with_one_key_at_the_same_moment_make_one_check(
    database: Database,
) -> None:
    results = await asyncio.gather(
        *(started(database, new_check(key="click", samples=n)) for n in (1, 2, 3)),
        return_exceptions=True,
    )

    assert sum(isinstance(result, Started) for result in results) == 1
    assert sum(isinstance(result, IdempotencyConflict) for result in results) == 2
    assert len(await values(database, CHECKS)) == 1


async def test_workers_and_pages_hear_of_it_after_the_commit(database: Database) -> None:
    heard: list[tuple[str, str]] = []
    database.notices.subscribe(JOBS_READY, lambda payload: heard.append((JOBS_READY, payload)))
    database.notices.subscribe(
        CHECK_CHANGED, lambda payload: heard.append((CHECK_CHANGED, payload))
    )

    check_id = await start(database)

    assert heard == [(JOBS_READY, ""), (CHECK_CHANGED, str(check_id))]


async def test_the_day_is_the_workspaces(database: Database) -> None:
    engines = engines_of(Scripted())
    days = [
        (
            await check(
                database, (await start_check(database, where, engines, new_check())).check.id
            )
        ).for_day
        for where in (
            Workspace(1, "local", "Etc/GMT-14"),
            Workspace(1, "local", "Etc/GMT+12"),
        )
    ]

    assert (days[0] - days[1]).days in (1, 2)


async def test_checks_of_one_workspace_share_its_part_of_a_lane(database: Database) -> None:
    await start(database, prompts=4)
    await start(database, prompts=4)

    turns = b"select turn from queue.job where flow = %(flow)s order by turn"
    [first, second] = [
        await values(database, turns, flow=f"check:{check_id}")
        for check_id in await values(database, CHECKS)
    ]
    assert first[1] - first[0] == 1000
    assert second[1] - second[0] == 2000


async def test_an_edited_brand_does_not_change_a_check_that_was_started(
    database: Database,
) -> None:
    check_id = await start(database)
    before = await check(database, check_id)

    await run_sql(database, b"update brands.brand set name = 'X', aliases = '{Y}', version = 2")

    assert (await check(database, check_id)).brands == before.brands
