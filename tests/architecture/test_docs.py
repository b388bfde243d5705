"""What the documents say of commands, events, targets and each other is so."""

import ast
import re
from pathlib import Path

import pytest

from quoth.cli.main import COMMANDS
from tests.architecture.project import MODULES, PACKAGE, ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = (ROOT / "README.md").read_text("utf-8")
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchor(heading: str) -> str:
    """A heading's anchor as Git hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {anchor(heading) for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, fragment = target.partition("#")
        linked = page.parent / path if path else page
        if "://" in target or target.startswith("mailto:"):
            continue
        if not linked.exists() or (fragment and fragment not in anchors_of(linked)):
            broken.append(target)

    assert broken == []


def test_each_command_is_in_the_readme() -> None:
    named = set(re.findall(r"^\| `quoth (\w+)", README, re.MULTILINE))

    assert named == set(COMMANDS)


def test_each_target_of_the_makefile_is_in_the_readme_and_no_other() -> None:
    targets = set(re.findall(r"^(\w+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))

    assert targets == set(re.findall(r"^\| `make (\w+)`", README, re.MULTILINE)) | {"help"}
    assert set(re.findall(r"\bmake (\w+)", README)) <= targets


def test_each_event_and_each_of_its_facts_is_documented() -> None:
    page = (ROOT / "docs" / "events.md").read_text("utf-8")
    documented = {
        name: set(re.findall(r"`(\w+)`", facts))
        for name, facts in re.findall(r"^\| `([\w.]+)` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    }

    emitted: dict[str, set[str]] = {}
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("emit", "events.emit"):
                [name] = node.args
                assert isinstance(name, ast.Constant), f"{module}: an event's name is written out"
                facts = emitted.setdefault(str(name.value), set())
                facts |= {str(keyword.arg) for keyword in node.keywords}

    assert documented == emitted


def test_each_decision_is_in_the_index_and_is_enforced_by_what_there_is() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")

    assert re.findall(r"\]\((0[\w-]+\.md)\)", index) == [page.name for page in DECISIONS]
    for page in DECISIONS:
        enforced = page.read_text("utf-8").partition("**Enforced by.**")[2]
        files = re.findall(r"`((?:tests|quoth)/[\w/.]+)`", enforced)
        assert [file for file in files if not (ROOT / file).exists()] == [], page.name
        assert enforced.strip(), page.name


def test_each_route_of_the_pages_is_documented_and_no_other() -> None:
    page = (ROOT / "docs" / "pages.md").read_text("utf-8")
    rows = re.findall(r"^\| (`/.*?) \|", page, re.MULTILINE)
    documented = {path.rstrip("/") or "/" for row in rows for path in re.findall(r"`(.+?)`", row)}

    served = {
        re.sub(r":int\}", "}", node.args[0].value)
        for module in MODULES
        if module.relative_to(PACKAGE).parts[0] in ("web", "app")
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Route"
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    }
    assert documented == served | {"/static"}
