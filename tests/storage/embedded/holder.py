"""Start, watch and end processes that hold an embedded server."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Self

import psycopg
import pytest

from quoth.storage.embedded.layout import Layout
from quoth.storage.embedded.postmaster import find_postmaster
from tests.storage.embedded.people import becoming, environment, python_for


class Holder:
    """A process with the server of `data_dir` in use."""

    def __init__(self, data_dir: Path, user: str | None = None) -> None:
        python = python_for(user)
        if python is None:
            pytest.skip(f"no Python that {user} can run")
        self.process = subprocess.Popen(
            (python, "-m", "tests.storage.embedded.hold", str(data_dir)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=environment(),
            cwd="/",
            start_new_session=True,
            **becoming(user),
        )

    def hear(self, word: str) -> str:
        """Wait for a line that starts with `word`; return the rest of it."""
        assert self.process.stdout is not None
        heard = []
        for line in self.process.stdout:
            heard.append(line)
            first, _, rest = line.strip().partition(" ")
            if first == word:
                return rest
        raise AssertionError(f"never said {word}: {heard}")

    def ready(self) -> Self:
        """Wait until the server answers."""
        self.url = self.hear("address")
        return self

    def end(self) -> int:
        """Let it end in order."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self._collect()

    def interrupt(self) -> int:
        """Ctrl-C, as a terminal sends it: to the whole process group."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self._collect()

    def kill(self) -> None:
        """Without a chance to say a word."""
        self.process.kill()
        self._collect()

    def _collect(self) -> int:
        code = self.process.wait(60)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()
        return code


def postmaster_of(data_dir: Path) -> int | None:
    """The number of the living postmaster, if there is one."""
    found = find_postmaster(Layout(data_dir))
    return None if found is None else found.pid


def ask(url: str, question: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(question.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None
