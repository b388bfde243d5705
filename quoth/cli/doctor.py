"""`quoth doctor`: what is in order and what is not, a sentence each."""

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from quoth.accounts.access import UnsafeListen, require_safe
from quoth.cli.database import is_missing
from quoth.cli.options import with_settings
from quoth.cli.running import Failure, one_sentence, reach_database, run
from quoth.providers.registry import ADAPTERS
from quoth.settings.catalogue import of_engine
from quoth.settings.values import Settings
from quoth.storage.migrate import DatabaseStatus, database_status

MEGABYTE = 1024 * 1024
TOO_LITTLE = 200 * MEGABYTE
LITTLE = 2048 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at and what is to be said of it; `note` is nothing wrong."""

    mark: Literal["ok", "note", "wrong"]
    about: str
    sentence: str


@click.command()
@with_settings("listen")
def doctor(settings: Settings) -> None:
    """Say what is in order and what is not; exit code 1 when something is wrong.

    Nothing is changed and no engine is asked.
    """
    findings = list(examine(settings))
    for finding in findings:
        click.echo(f"{finding.mark.ljust(5)}  {finding.about.ljust(10)}  {finding.sentence}")
    wrong = sum(finding.mark == "wrong" for finding in findings)
    click.echo(f"\n{wrong} wrong." if wrong else "\nAll is well.")
    sys.exit(1 if wrong else 0)


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at everything that a start needs."""
    file = f"Read from {settings.file}." if settings.file else "No settings file is used."
    yield Finding("ok", "settings", file)
    if settings.database_url is None:
        yield _data_dir(settings.data_dir)
        yield _disk(settings.data_dir)
    yield _database(settings)
    yield from _engines(settings)
    yield _listen(settings)


def _data_dir(data_dir: Path) -> Finding:
    place = _nearest(data_dir)
    if not place.is_dir():
        return Finding("wrong", "data", f"{place} is not a directory; set QUOTH_DATA_DIR.")
    if not os.access(place, os.W_OK | os.X_OK):
        return Finding("wrong", "data", f"{place} cannot be written to; set QUOTH_DATA_DIR.")
    if place != data_dir:
        return Finding("ok", "data", f"{data_dir} will be made by the first start.")
    return Finding("ok", "data", f"{data_dir} can be written to.")


def _disk(data_dir: Path) -> Finding:
    place = _nearest(data_dir)
    free = shutil.disk_usage(place).free
    sentence = f"{free // MEGABYTE:,} MB are free at {place}"
    if free < TOO_LITTLE:
        return Finding("wrong", "disk", f"Only {sentence}: make room.")
    if free < LITTLE:
        return Finding("note", "disk", f"Only {sentence}.")
    return Finding("ok", "disk", f"{sentence}.")


def _database(settings: Settings) -> Finding:
    try:
        if is_missing(settings):
            return Finding("ok", "database", "The first start will make the embedded database.")
        status = run(_status(settings))
    except Failure as error:
        return Finding("wrong", "database", one_sentence(error.message))
    if status.pending:
        return Finding(
            "note",
            "database",
            f"PostgreSQL {status.server} answers; {len(status.pending)} migrations are pending, "
            "which the next start applies.",
        )
    return Finding(
        "ok", "database", f"PostgreSQL {status.server} answers, schema {status.version}."
    )


async def _status(settings: Settings) -> DatabaseStatus:
    async with reach_database(settings) as addresses:
        return await database_status(addresses)


def _engines(settings: Settings) -> Iterator[Finding]:
    ready = [name for name in ADAPTERS if settings.engines[name].api_key is not None]
    for name, adapter in ADAPTERS.items():
        variable = of_engine(name).api_key.variable
        bundle = settings.engines[name].ca_bundle
        if bundle is not None and not os.access(bundle, os.R_OK):
            yield Finding("wrong", name, f"{bundle}, its CA bundle, cannot be read.")
        elif name in ready:
            yield Finding("ok", name, f"{adapter.title} has a key ({variable}).")
        else:
            # Without any engine nothing can be asked; without one, the others can.
            mark: Literal["note", "wrong"] = "note" if ready else "wrong"
            sentence = f"{adapter.title} has no key: set {variable}, or use --demo."
            yield Finding(mark, name, sentence)


def _listen(settings: Settings) -> Finding:
    listen = settings.listen
    try:
        require_safe(listen, settings.access_token)
        family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
        socket.create_server((listen.host, listen.port), family=family).close()
    except UnsafeListen as error:
        return Finding("wrong", "listen", str(error))
    except OSError as error:
        return Finding(
            "wrong",
            "listen",
            f"{listen} cannot be listened on: {(error.strerror or str(error)).lower()}. "
            "Perhaps Quoth runs there already; else set QUOTH_LISTEN.",
        )
    return Finding("ok", "listen", f"{listen} is free.")


def _nearest(path: Path) -> Path:
    """The path itself, or what there is of it."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path
