"""`quoth config`: what is set, and where it came from."""

import json

import click

from quoth.cli.options import with_settings
from quoth.settings.values import Line, Settings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@with_settings("listen", "pool", "drain", "log_format", "log_level")
def config(settings: Settings, as_json: bool) -> None:
    """Show every setting, its value, and where it came from.

    Flags win over the environment, the environment over the file, the file over the default.
    Secrets are hidden. docs/settings.md says what each one does.
    """
    if as_json:
        click.echo(json.dumps(_document(settings), indent=2))
        return
    values = {line.name: _shown(line) for line in settings.lines}
    name_width = max(len(line.variable) for line in settings.lines)
    value_width = min(40, max(map(len, values.values())))
    for line in settings.lines:
        value = values[line.name].ljust(value_width)
        click.echo(f"{line.variable.ljust(name_width)}  {value}  {line.source}")
    if settings.file is None:
        click.echo("\nNo settings file was read.")


def _document(settings: Settings) -> dict[str, object]:
    return {
        "file": None if settings.file is None else str(settings.file),
        "settings": [
            {
                "name": line.name,
                "variable": line.variable,
                "value": line.value,
                "source": line.source,
            }
            for line in settings.lines
        ],
    }


def _shown(line: Line) -> str:
    return line.value if line.value is not None else f"({line.implied.replace('`', '')})"
