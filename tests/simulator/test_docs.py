from pathlib import Path

from starlette.routing import Route

from quoth.simulator.app import create_app
from quoth.simulator.engines import ENGINES
from quoth.simulator.faults import KINDS, Fault

DOCS = (Path(__file__).parents[2] / "docs" / "simulator.md").read_text("utf-8")


def test_each_fault_and_each_of_its_fields_is_in_the_docs() -> None:
    words = {*KINDS, *Fault.__dataclass_fields__}

    assert [word for word in sorted(words) if f"`{word}`" not in DOCS] == []


def test_each_engine_and_each_control_route_is_in_the_docs() -> None:
    routes = [route for route in create_app().routes if isinstance(route, Route)]
    control = {route.path for route in routes if route.path.startswith("/control")}

    assert len(control) == 4
    assert [path for path in control if path not in DOCS] == []
    for engine in ENGINES:
        assert f"`{engine.name}`" in DOCS
        assert engine.base in DOCS
