"""Small modules and small rooms, as a rule the tests keep."""

import ast
from collections import Counter

from tests.architecture.project import MODULES, ROOT, name_of


def test_a_module_fits_a_few_screens() -> None:
    lines = {name_of(module): len(module.read_text("utf-8").splitlines()) for module in MODULES}

    assert {name: size for name, size in lines.items() if size > 250} == {}


def test_a_room_fits_one_glance() -> None:
    rooms = Counter(name_of(module.parent) for module in MODULES if module.stem != "__init__")

    assert {room: size for room, size in rooms.items() if size > 16} == {}


def test_a_package_has_no_code_of_its_own_but_for_the_face_of_storage() -> None:
    faces = {
        name_of(module).partition("/")[0]
        for module in MODULES
        for node in ast.parse(module.read_text("utf-8")).body
        if module.stem == "__init__" and not isinstance(node, ast.Expr)
    }

    # The package itself says its version.
    assert faces == {"storage", "__init__.py"}


def test_no_module_is_named_so_that_everything_would_fit_in_it() -> None:
    edgeless = {"utils", "util", "helpers", "helper", "common", "misc", "service", "manager"}

    assert [name_of(module) for module in MODULES if module.stem in edgeless] == []


def test_the_tests_look_at_the_whole_package() -> None:
    assert (ROOT / "quoth" / "queue" / "job.py") in MODULES
