"""Lock files pin what is installed by hash, and leave open from where it comes."""

import json
import re
import tomllib

from tests.architecture.project import ROOT

REQUIREMENTS = (ROOT / "requirements.lock").read_text("utf-8")


def test_the_python_lock_names_no_address() -> None:
    assert re.findall(r"https?://\S+|--(?:extra-)?index-url|--find-links", REQUIREMENTS) == []


def test_each_package_in_the_python_lock_has_its_hashes() -> None:
    packages = re.split(r"\n(?=[a-z0-9])", REQUIREMENTS)

    assert [package for package in packages if "--hash=sha256:" not in package] == []
    assert len(packages) > 50


def test_the_python_lock_has_what_the_project_asks_for_and_nothing_else() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    given = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    asked = {re.split(r"[^\w-]", each)[0] for each in given}

    packages = re.split(r"\n(?=[a-z0-9])", REQUIREMENTS)
    direct = {
        re.split(r"[^\w-]", package)[0]
        for package in packages
        if "quoth (pyproject.toml)" in package
    }
    assert direct == asked


def test_the_page_lock_names_no_address_and_has_a_hash_for_each_package() -> None:
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text("utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}

    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert [name for name, package in packages.items() if "integrity" not in package] == []
    assert packages != {}


def test_there_is_no_lock_that_would_name_one() -> None:
    assert not (ROOT / "uv.lock").exists()
