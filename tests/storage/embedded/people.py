"""As whom the embedded server is tested: as ourselves, and when that is root as a plain user."""

import functools
import os
import pwd
import subprocess
import sys
from pathlib import Path
from typing import TypedDict

REPOSITORY = Path(__file__).parents[3]
AS_ROOT = os.geteuid() == 0
PLAIN_USER = "nobody"


@functools.cache
def environment() -> dict[str, str]:
    return os.environ | {
        "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *filter(None, sys.path)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "error",
    }


@functools.cache
def python_for(user: str | None) -> str | None:
    """A Python that `user` can run, with our packages (root's own may lie where none may go)."""
    if user is None:
        return sys.executable
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            tried = subprocess.run(
                (python, "-c", "import psycopg, quoth.storage.embedded"),
                env=environment(),
                capture_output=True,
                check=False,
                cwd="/",
                **becoming(user),
            )
        except OSError:
            continue
        if tried.returncode == 0:
            return python
    return None


class Becoming(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[str]


def becoming(user: str | None) -> Becoming:
    """The arguments of Popen for a process that runs as `user`."""
    if user is None:
        return {}
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
