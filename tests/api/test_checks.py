import json
from collections.abc import AsyncIterator

import pytest
from httpx2 import AsyncClient, Response

from quoth.storage import Database, Statement
from tests.api.harness import CHECK, end_captures, open_api

COUNT = Statement(b"select count(*) from capture.check_run")


@pytest.fixture
async def api(database: Database) -> AsyncIterator[AsyncClient]:
    async with open_api(database) as client:
        yield client


async def checks_in(database: Database) -> int:
    async with database.autocommit() as tx:
        [count] = await tx.values(COUNT)
    return int(count)


def assert_problem(response: Response, status: int, kind: str) -> dict[str, object]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, object] = response.json()
    assert body["type"] == f"urn:quoth:problem:{kind}"
    assert body["status"] == status
    return body


async def test_a_check_is_accepted_and_is_where_location_says(api: AsyncClient) -> None:
    accepted = await api.post("/checks", json=CHECK)

    assert accepted.status_code == 202
    check = accepted.json()
    assert accepted.headers["location"] == f"/api/v1/checks/{check['id']}"
    assert (check["state"], check["total"], check["over"]) == ("running", 8, 0)
    assert check["open"] == {"pending": 8}
    assert check["brand"]["name"] == "Точка"
    assert [each["name"] for each in check["competitors"]] == ["Сбербанк"]
    there = await api.get(f"http://127.0.0.1:8420{accepted.headers['location']}")
    assert there.json() == check


async def test_the_same_key_again_is_the_same_check(api: AsyncClient, database: Database) -> None:
    key = {"idempotency-key": "click-1"}

    first = await api.post("/checks", json=CHECK, headers=key)
    again = await api.post("/checks", json=CHECK, headers=key)

    assert again.status_code == 202
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert await checks_in(database) == 1


async def test_the_same_key_with_another_body_is_a_conflict(
    api: AsyncClient, database: Database
) -> None:
    key = {"idempotency-key": "click-1"}
    await api.post("/checks", json=CHECK, headers=key)

    other = await api.post("/checks", json={**CHECK, "samples": 3}, headers=key)

    assert_problem(other, 409, "idempotency-key-already-used")
    assert await checks_in(database) == 1


async def test_without_a_key_each_request_is_a_check(api: AsyncClient, database: Database) -> None:
    await api.post("/checks", json=CHECK)
    await api.post("/checks", json=CHECK)

    assert await checks_in(database) == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"brand": None}, "brand"),
        ({"brand": {"name": ""}}, "brand.name"),
        ({"brand": {"name": "x" * 201}}, "brand.name"),
        ({"prompts": []}, "prompts"),
        ({"prompts": [{"text": "ok"}, {"text": 7}]}, "prompts.1.text"),
        ({"prompts": [{"text": "ok", "language": "russian"}]}, "prompts.0.language"),
        ({"prompts": [{"text": "ok", "country": "ru"}]}, "prompts.0.country"),
        ({"prompts": [{"text": "\ud800"}]}, "prompts.0.text"),
        ({"prompts": [{"text": "nul \u0000"}]}, "prompts"),
        ({"engines": []}, "engines"),
        ({"engines": ["copilot"]}, "engines"),
        ({"samples": "2"}, "samples"),
        ({"samples": True}, "samples"),
        ({"samples": 2.0}, "samples"),
        ({"samples": 0}, "samples"),
        ({"samples": 101}, "samples"),
        ({"sample": 1}, "sample"),
        ({"competitors": [{"name": "Точка"}]}, "competitors"),
    ],
)
async def test_bad_input_names_its_field_and_starts_nothing(
    api: AsyncClient, database: Database, change: dict[str, object], field: str
) -> None:
    body = json.dumps({**CHECK, **change})

    refused = await api.post("/checks", content=body, headers={"content-type": "application/json"})

    problem = assert_problem(refused, 422, "bad-input")
    assert isinstance(problem["errors"], list)
    assert [error["field"] for error in problem["errors"]] == [field]
    assert await checks_in(database) == 0


async def test_an_engine_without_a_key_is_refused_with_the_variable_to_set(
    database: Database,
) -> None:
    async with open_api(database, "perplexity") as api:
        refused = await api.post("/checks", json=CHECK)

    problem = assert_problem(refused, 422, "bad-input")
    assert "QUOTH_CHATGPT_API_KEY" in str(problem["detail"])
    assert "--demo" in str(problem["detail"])
    assert await checks_in(database) == 0


@pytest.mark.parametrize("key", ["", "x" * 256, "ключ".encode().decode("latin-1")])
async def test_a_bad_key_is_refused_by_name(api: AsyncClient, key: str) -> None:
    headers = {b"idempotency-key": key.encode("latin-1")}

    problem = assert_problem(
        await api.post("/checks", json=CHECK, headers=headers), 422, "bad-input"
    )

    assert "idempotency-key" in str(problem["detail"])


async def test_a_body_that_is_no_json_is_a_bad_request(api: AsyncClient) -> None:
    headers = {"content-type": "application/json"}

    assert_problem(
        await api.post("/checks", content=b'{"brand":', headers=headers), 400, "bad-request"
    )
    deep = await api.post("/checks", content=b"[" * 100_000, headers=headers)
    assert deep.status_code in (400, 422)


async def test_a_form_is_not_taken_for_json(api: AsyncClient) -> None:
    body = json.dumps(CHECK)

    refused = await api.post("/checks", content=body, headers={"content-type": "text/plain"})

    assert_problem(refused, 422, "bad-input")


async def test_a_body_without_end_is_cut_off(api: AsyncClient) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(6):
            yield b" " * 1024 * 1024

    headers = {"content-type": "application/json"}
    streamed = await api.post("/checks", content=endless(), headers=headers)
    announced = await api.post("/checks", content=b" " * 5_000_000, headers=headers)

    assert_problem(streamed, 413, "too-large")
    assert_problem(announced, 413, "too-large")


async def test_checks_are_listed_a_page_at_a_time_the_newest_first(api: AsyncClient) -> None:
    ids = [(await api.post("/checks", json=CHECK)).json()["id"] for _ in range(3)]

    first = (await api.get("/checks", params={"limit": 2})).json()
    rest = (await api.get("/checks", params={"limit": 2, "cursor": first["next"]})).json()

    assert [each["id"] for each in first["checks"]] == [ids[2], ids[1]]
    assert [each["id"] for each in rest["checks"]] == [ids[0]]
    assert rest["next"] is None
    assert first["checks"][0]["engines"] == ["chatgpt", "perplexity"]


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "cursor=x", "cursor=-1", "limit=ten"])
async def test_a_bad_page_is_refused(api: AsyncClient, query: str) -> None:
    assert_problem(await api.get(f"/checks?{query}"), 422, "bad-input")


async def test_captures_are_listed_with_their_states(api: AsyncClient, database: Database) -> None:
    check = (await api.post("/checks", json=CHECK)).json()["id"]
    await end_captures(database, check, "no_surface", samples=1)

    listed = (await api.get(f"/checks/{check}/captures")).json()

    assert (listed["check"], listed["state"], len(listed["captures"])) == (check, "running", 8)
    assert [each["outcome"] for each in listed["captures"]] == ["no_surface", None] * 4
    assert {each["surface"] for each in listed["captures"]} == {"simulator"}


async def test_outcomes_are_counted(api: AsyncClient, database: Database) -> None:
    check = (await api.post("/checks", json=CHECK)).json()["id"]
    await end_captures(database, check, "no_surface")
    await end_captures(database, check, "refused", samples=1)

    looked = (await api.get(f"/checks/{check}")).json()

    assert (looked["state"], looked["over"]) == ("partial", 8)
    assert looked["outcomes"] == {"refused": 4, "no_surface": 4}


@pytest.mark.parametrize(
    "path", ["/checks/99", "/checks/99/captures", "/checks/99/events", "/captures/99", "/nowhere"]
)
async def test_what_is_not_there_is_not_found(api: AsyncClient, path: str) -> None:
    assert_problem(await api.get(path), 404, "not-found")


@pytest.mark.parametrize("path", ["/checks/x", "/checks/0", "/checks/9223372036854775808"])
async def test_what_is_no_id_is_bad_input(api: AsyncClient, path: str) -> None:
    assert_problem(await api.get(path), 422, "bad-input")


async def test_another_method_is_not_allowed(api: AsyncClient) -> None:
    refused = await api.delete("/checks")

    assert_problem(refused, 405, "method-not-allowed")
    assert "GET" in refused.headers["allow"] or "POST" in refused.headers["allow"]


async def test_a_capture_without_an_answer_is_shown(api: AsyncClient) -> None:
    check = (await api.post("/checks", json=CHECK)).json()["id"]
    first = (await api.get(f"/checks/{check}/captures")).json()["captures"][0]

    capture = (await api.get(f"/captures/{first['id']}")).json()

    assert capture["capture"] == first
    assert capture["check_id"] == check
    assert (capture["text"], capture["attempts"], capture["mentions"]) == (None, [], [])
    assert capture["prompt"]["text"] == "Лучший банк для ИП?"


async def test_a_check_is_cancelled_once_and_for_all(api: AsyncClient) -> None:
    check = (await api.post("/checks", json=CHECK)).json()["id"]

    cancelled = await api.post(f"/checks/{check}/cancellation")
    again = await api.post(f"/checks/{check}/cancellation")

    assert cancelled.status_code == again.status_code == 202
    assert cancelled.json()["state"] == again.json()["state"] == "cancelled"
    assert cancelled.json()["outcomes"] == {"cancelled": 8}


async def test_what_ended_without_an_answer_is_asked_again(
    api: AsyncClient, database: Database
) -> None:
    check = (await api.post("/checks", json=CHECK)).json()["id"]
    await api.post(f"/checks/{check}/cancellation")
    captures = (await api.get(f"/checks/{check}/captures")).json()["captures"]

    one = await api.post(f"/checks/{check}/retries", json={"captures": [captures[0]["id"]]})
    rest = await api.post(f"/checks/{check}/retries")
    none = await api.post(f"/checks/{check}/retries", json={})

    assert one.status_code == 202
    assert [each.json()["retried"] for each in (one, rest, none)] == [1, 7, 0]
    assert (await api.get(f"/checks/{check}")).json()["open"] == {"pending": 8}


async def test_a_retry_of_what_is_not_there_is_not_found(api: AsyncClient) -> None:
    assert_problem(await api.post("/checks/99/retries"), 404, "not-found")
    assert_problem(await api.post("/checks/99/cancellation"), 404, "not-found")
