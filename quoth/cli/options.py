"""The options that stand for settings, and the settings read with them."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import click

from quoth.cli.running import Refusal
from quoth.providers.registry import ADAPTERS
from quoth.settings.catalogue import OF_THE_PROCESS
from quoth.settings.read import read_settings
from quoth.settings.setting import BadSettings
from quoth.settings.values import Settings

P = ParamSpec("P")
R = TypeVar("R")

KNOWN = {setting.name: setting for setting in OF_THE_PROCESS}


def with_settings(
    *names: str,
) -> Callable[[Callable[Concatenate[Settings, P], R]], Callable[..., R]]:
    """Give a command its settings, an option for each of `names`, and `--config`.

    A secret is never an option: other people of the machine can read a command line.
    """

    def decorate(command: Callable[Concatenate[Settings, P], R]) -> Callable[..., R]:
        @wraps(command)
        def with_options(*args: P.args, **options: P.kwargs) -> R:
            file = options.pop("config")
            given = {name: options.pop(name) for name in ("data_dir", *names)}
            return command(_read(file, given), *args, **options)

        decorated: Callable[..., R] = with_options
        for name in reversed(("data_dir", *names)):
            setting = KNOWN[name]
            default = f"  [default: {setting.implied or setting.default}]".replace("`", "")
            option = click.option(
                f"--{name.replace('_', '-')}",
                metavar=setting.kind.replace("`", "").upper(),
                help=setting.doc.replace("`", "") + default,
            )
            decorated = option(decorated)
        return click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="The settings file (TOML) to read.",
        )(decorated)

    return decorate


def _read(file: object, given: dict[str, object]) -> Settings:
    flags = {name: str(text) for name, text in given.items() if text is not None}
    try:
        return read_settings(
            list(ADAPTERS),
            environment=os.environ,
            flags=flags,
            file=file if isinstance(file, Path) else None,
        )
    except BadSettings as error:
        raise Refusal(str(error)) from error
