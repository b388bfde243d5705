"""A directory for a server, and the processes that use it, all gone after the test."""

import os
import pwd
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.storage.embedded.holder import Holder, postmaster_of
from tests.storage.embedded.people import AS_ROOT, PLAIN_USER

Hold = Callable[..., Holder]


@pytest.fixture(params=["ourselves", "a plain user"])
def user(request: pytest.FixtureRequest) -> str | None:
    """None is ourselves; a plain user besides where we are root."""
    if request.param == "ourselves":
        return None
    if not AS_ROOT:
        pytest.skip("we are a plain user already")
    return PLAIN_USER


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may enter, with a short path."""
    folder = Path(tempfile.mkdtemp(prefix="quoth-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def data_dir(folder: Path) -> Path:
    """A data directory that is still to be made, by ourselves."""
    return folder / "data"


@pytest.fixture
def hold(folder: Path) -> Iterator[Hold]:
    """Start processes that hold a server; what is left of them is killed afterwards."""
    holders: list[tuple[Holder, Path]] = []

    def start(data_dir: Path, user: str | None = None) -> Holder:
        holder = Holder(data_dir, user)
        holders.append((holder, data_dir))
        return holder

    yield start
    for holder, data_dir in holders:
        with suppress(ProcessLookupError):
            holder.kill()
        left = postmaster_of(data_dir)
        if left is not None:
            os.kill(left, signal.SIGKILL)


@pytest.fixture
def own_dir(folder: Path, user: str | None) -> Path:
    """A folder of the user's, as a home is."""
    own = folder / "own"
    own.mkdir()
    if user is not None:
        entry = pwd.getpwnam(user)
        os.chown(own, entry.pw_uid, entry.pw_gid)
    return own
