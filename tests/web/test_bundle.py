"""The build hook: what it asks for, when it builds, and what its lock says."""

import json
import shutil
from pathlib import Path

import pytest

import hatch_build
from tests.architecture.project import ROOT

DIST = Path("quoth", "web", "static", "dist")


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy in which everything is built, on a machine without Node."""
    leave = shutil.ignore_patterns("node_modules")
    shutil.copytree(ROOT / "frontend", tmp_path / "frontend", ignore=leave)
    shutil.copytree(ROOT / DIST, tmp_path / DIST)
    manifest = tmp_path / DIST / "manifest.json"
    sources = hatch_build.fingerprint(tmp_path / "frontend")
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "sources": sources}))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_what_was_built_from_the_same_sources_needs_nothing(built: Path) -> None:
    before = sorted((built / DIST).iterdir())

    hatch_build.build(built)

    assert hatch_build.needed(built) == []
    assert sorted((built / DIST).iterdir()) == before


def test_a_changed_source_is_built_with_the_node_of_a_wheel_where_there_is_none(
    built: Path,
) -> None:
    (built / "frontend" / "src" / "quoth.css").write_text("a{}")

    assert hatch_build.needed(built) == [hatch_build.NODE]


def test_a_bundle_with_a_file_missing_is_built_again(built: Path) -> None:
    next((built / DIST).glob("*.js")).unlink()

    assert not hatch_build.is_up_to_date(built)


@pytest.mark.parametrize(
    ("codes", "says"),
    [((1, 0), "could not be installed (npm ci"), ((0, 1), "could not be bundled (frontend/build")],
)
def test_a_build_that_fails_says_in_a_sentence_what_to_do(
    built: Path,
    monkeypatch: pytest.MonkeyPatch,
    codes: tuple[int, int],
    says: str,
) -> None:
    npm, node = codes
    (built / "frontend" / "src" / "quoth.css").write_text("a{}")
    monkeypatch.setattr(hatch_build, "_programs", lambda: (lambda *_: node, lambda *_: npm))

    with pytest.raises(hatch_build.BuildFailed) as failed:
        hatch_build.build(built)

    assert says in str(failed.value)


def test_a_build_that_fails_leaves_the_bundle_as_it_was(
    built: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    installed = ROOT / "frontend" / "node_modules"
    if shutil.which("node") is None or not installed.is_dir():
        pytest.skip("needs Node on the machine, and what the last build installed")
    (built / "frontend" / "node_modules").symlink_to(installed)
    (built / "frontend" / "src" / "quoth.js").write_text('import "./nowhere.js";')
    before = {file.name: file.read_bytes() for file in (built / DIST).iterdir()}

    with pytest.raises(hatch_build.BuildFailed):
        hatch_build.bundle(built / "frontend", hatch_build.program("node"))

    assert {file.name: file.read_bytes() for file in (built / DIST).iterdir()} == before
    assert [file.name for file in (built / DIST).parent.iterdir()] == ["dist"]
    said = capfd.readouterr().err
    assert "nowhere.js" in said
    assert "    at " not in said


def test_whoever_installs_reads_the_sentence_and_no_traceback(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (built / "frontend" / "src" / "quoth.css").write_text("a{}")
    monkeypatch.setattr(hatch_build, "_programs", lambda: (lambda *_: 0, lambda *_: 1))
    monkeypatch.setattr(hatch_build.Pages, "root", str(built))
    hook = hatch_build.Pages.__new__(hatch_build.Pages)

    with pytest.raises(SystemExit, match="could not be installed"):
        hook.initialize("standard", {})


def test_the_lock_names_no_address_and_has_a_hash_for_each_package() -> None:
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text("utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}

    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert [name for name, package in packages.items() if "integrity" not in package] == []
    assert packages != {}
