import re
from datetime import timedelta
from html import unescape
from uuid import uuid4

from quoth.providers.contract import Rejected
from quoth.queue.lanes import pause_lane
from quoth.storage import Database
from tests.capture.harness import Scripted, engines_of, run_sql, start, values, work
from tests.queue.test_reap import ALIVE
from tests.web.harness import open_pages, text_of

LANE = "perplexity/simulator"
MORE = b"""
insert into queue.job (kind, lane, flow, key, payload, state, turn, max_tries, deadline, expires_at,
                       ended_at)
select 'other.work', 'other', 'a', 'k' || n, '{}', 'failed', n, 4, '1 min', now(), now()
  from generate_series(1, 60) as n
"""
WRONG = ("lane=nowhere", "lane=%00", "before=x")
STATES = b"select state from queue.job order by state"


def linked(html: str, part: str) -> str:
    """Where the first link goes that has this in its address."""
    found = re.search(rf'href="([^"#]*{re.escape(part)}[^"#]*)', html)
    assert found, part
    return unescape(found[1])


async def shown(database: Database, language: str = "en") -> str:
    async with open_pages(database, language=language) as browser:
        page = await browser.get("/queue")
    assert page.status_code == 200
    return text_of(page.text)


async def fail_one_of_two(database: Database) -> Scripted:
    provider = Scripted(sends=[Rejected("not a question")])
    await start(database, provider, prompts=2)
    await work(database, provider)
    return provider


async def test_an_empty_queue_says_what_to_do(database: Database) -> None:
    text = await shown(database)

    assert "There is no lane yet" in text
    assert "Nobody works: start “quoth serve” or “quoth work”." in text
    assert "No job has failed." in text


async def test_lanes_and_workers_are_shown_as_they_are(database: Database) -> None:
    await start(database, prompts=3)
    await run_sql(
        database, ALIVE, id=uuid4(), lock=1, witnessed=False, silent=timedelta(seconds=50)
    )

    text = await shown(database)

    assert f"{LANE} nobody works on it" in text
    assert "Have their turn to come 3" in text
    assert "gone without a word" in text


async def test_a_lane_is_paused_with_a_reason_and_resumed(database: Database) -> None:
    await start(database)
    async with open_pages(database) as browser:
        await browser.post("/queue/pause", data={"lane": LANE, "reason": "no money"})
        paused = text_of((await browser.get("/queue")).text)
        waiting = text_of((await browser.get("/checks/1")).text)
        await browser.post("/queue/resume", data={"lane": LANE})
        resumed = text_of((await browser.get("/queue")).text)

    assert "Paused since" in paused
    assert "no money" in paused
    assert "no money" in waiting
    assert "no money" not in resumed


async def test_what_is_wrong_with_a_pause_is_said(database: Database) -> None:
    await start(database)
    async with open_pages(database) as browser:
        unsaid = await browser.post("/queue/pause", data={"lane": LANE, "reason": "  "})
        nowhere = await browser.post("/queue/pause", data={"lane": "nowhere", "reason": "x"})
        zero = await browser.post("/queue/pause", data={"lane": "\0", "reason": "x"})
        odd = await browser.post("/queue/discard", data={"job": "1; drop"})

    codes = [reply.status_code for reply in (unsaid, nowhere, zero, odd)]
    assert codes == [400, 404, 400, 400]


async def test_where_none_is_chosen_nothing_is_done_and_that_is_said(database: Database) -> None:
    provider = await fail_one_of_two(database)
    async with open_pages(database, engines_of(provider)) as browser:
        for deed in ("retry", "discard"):
            page = await browser.post(f"/queue/{deed}", data={}, follow_redirects=True)
            assert "None was chosen" in text_of(page.text)

    assert await values(database, STATES) == ["done", "failed"]


async def test_failed_jobs_are_shown_page_by_page_and_by_lane(database: Database) -> None:
    await fail_one_of_two(database)
    await run_sql(database, b"insert into queue.lane values ('other', 1)")
    await run_sql(database, MORE)
    async with open_pages(database) as browser:
        newest = (await browser.get("/queue")).text
        earlier = (await browser.get(linked(newest, "before="))).text
        theirs = (await browser.get(linked(newest, "lane=other"))).text
        rest = (await browser.get(linked(theirs, "before="))).text
        gone = [(await browser.get(f"/queue?{query}")).status_code for query in WRONG]

    assert newest.count('name="job"') == 50
    assert (earlier.count('name="job"'), "not a question" in earlier) == (11, True)
    assert 'href="/captures/1"' in earlier
    assert "Failed in other" in text_of(theirs)
    assert (rest.count('name="job"'), "not a question" in rest) == (10, False)
    assert gone == [404, 404, 404]


async def test_all_of_a_lane_are_only_its_own(database: Database) -> None:
    await fail_one_of_two(database)
    await run_sql(database, b"insert into queue.lane values ('other', 1)")
    await run_sql(database, MORE)
    async with open_pages(database) as browser:
        forgotten = await browser.post("/queue/discard", data={"all": "yes", "lane": "other"})

    assert forgotten.headers["location"] == "/queue?lane=other#failed-title"
    assert await values(database, STATES) == ["done", "failed"]


async def test_failed_jobs_are_tried_again_or_forgotten(database: Database) -> None:
    provider = await fail_one_of_two(database)
    async with open_pages(database, engines_of(provider)) as browser:
        listed = text_of((await browser.get("/queue")).text)
        [job] = await values(database, b"select id from queue.job where state = 'failed'")
        await browser.post("/queue/retry", data={"job": str(job)})
        retried = await values(database, STATES)
        await run_sql(database, b"update queue.job set state = 'failed' where state = 'pending'")
        await browser.post("/queue/discard", data={"all": "yes"})

    assert "not a question" in listed
    assert retried == ["done", "pending"]
    assert await values(database, STATES) == ["done"]


async def test_what_somebody_typed_is_text(database: Database) -> None:
    await start(database)
    async with database.transaction() as tx:
        await pause_lane(tx, LANE, "<script>alert(1)</script>")
    async with open_pages(database) as browser:
        html = (await browser.get("/queue")).text

    assert "<script>alert" not in html


async def test_the_page_is_russian_too(database: Database) -> None:
    await fail_one_of_two(database)

    text = await shown(database, "ru")

    assert "Ждут своей очереди" in text
    assert "Повторить выбранные" in text
