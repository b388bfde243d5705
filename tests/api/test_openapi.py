import json
from pathlib import Path

from quoth.storage import Database
from tests.api.harness import open_api
from tests.snapshots import assert_kept

ROOT = Path(__file__).parents[2]


async def test_the_kept_description_is_what_the_api_says(database: Database) -> None:
    async with open_api(database) as api:
        described = (await api.get("/openapi.json")).json()

    text = json.dumps(described, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    assert_kept(ROOT / "docs" / "openapi.json", text)


async def test_every_operation_is_in_the_documentation(database: Database) -> None:
    async with open_api(database) as api:
        described = (await api.get("/openapi.json")).json()

    documentation = (ROOT / "docs" / "api.md").read_text("utf-8")
    for path, operations in described["paths"].items():
        for method in operations:
            assert f"`{method.upper()} {path}`" in documentation


async def test_the_description_has_examples_and_no_foreign_scripts(database: Database) -> None:
    async with open_api(database) as api:
        described = (await api.get("/openapi.json")).json()
        pages = [(await api.get(path)).status_code for path in ("/docs", "/redoc")]

    assert described["components"]["schemas"]["CheckIn"]["examples"]
    assert described["servers"] == [{"url": "/api/v1"}]
    assert pages == [404, 404]
