"""Dumps: the whole database in one file, made and read by PostgreSQL's own programs."""

import asyncio
import os
import shutil
from asyncio.subprocess import PIPE
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from quoth.storage.embedded.errors import UnsupportedPlatform, explain, explained
from quoth.storage.embedded.programs import installed_programs

KEPT = 5


class DumpFailed(Exception):
    """There is no dump, or it was not restored; `message` is one sentence."""

    @property
    def message(self) -> str:
        """What is the matter."""
        return str(self)


async def dump(url: str, path: Path) -> None:
    """Write the database to `path`, which appears when it is whole, for its owner's eyes only."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    with explained(path.parent):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        number = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            await _run(url, "pg_dump", "--format=custom", output=number)
            os.fsync(number)
        except BaseException:
            unfinished.unlink()
            raise
        finally:
            os.close(number)
        unfinished.rename(path)


async def restore(url: str, path: Path) -> None:
    """Make the database what it was when `path` was dumped: all of it or nothing."""
    await _run(
        url, "pg_restore", "--clean", "--if-exists", "--no-owner", "--no-privileges",
        "--exit-on-error", "--single-transaction", str(path),
    )  # fmt: skip


def prune_dumps(folder: Path, *, kept: int = KEPT) -> None:
    """Delete all but the newest; their names sort by time."""
    for old in sorted(folder.glob("*-schema-*.dump"))[:-kept]:
        old.unlink()


async def _run(url: str, program: str, *arguments: str, output: int | None = None) -> None:
    parts = conninfo_to_dict(url)
    # Arguments are for all to see, the environment is not.
    password = parts.pop("password", None)
    secret = {} if password is None else {"PGPASSWORD": str(password)}
    process = await asyncio.create_subprocess_exec(
        _find(program),
        "--no-password",
        f"--dbname={make_conninfo('', **parts)}",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL if output is None else output,
        stderr=PIPE,
        env={**os.environ, "LC_ALL": "C", **secret},
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        text = said.decode("utf-8", "replace").strip()
        if "No space left" in text:
            raise explain(text, Path(arguments[-1]))
        raise DumpFailed(
            f"{program} failed: {text.splitlines()[-1] if text else 'no reason given'}"
        )


def _find(program: str) -> str:
    try:
        return installed_programs()[program]
    except UnsupportedPlatform:
        found = shutil.which(program)
        if found is None:
            raise DumpFailed(
                f"there is no {program} on this system: install PostgreSQL's client programs"
            ) from None
        return found
