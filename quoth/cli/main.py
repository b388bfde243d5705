"""The command `quoth`: a group whose commands are imported only when they are called."""

import sys
from collections.abc import Mapping
from importlib import import_module
from io import TextIOWrapper

import click

import quoth

# Where each command is, and its line in the help: showing the help imports none of them.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "serve": ("quoth.cli.serve:serve", "Serve pages and API, and work on what waits."),
    "work": ("quoth.cli.serve:work", "Only work: any number, wherever the database is reached."),
    "demo": ("quoth.cli.demo:demo", "Serve with simulated engines and a sample check."),
    "check": ("quoth.cli.check:check", "Run one check here and show who was named where."),
    "simulate": ("quoth.cli.simulate:simulate", "Serve simulated engines over real HTTP."),
    "queue": ("quoth.cli.queue.group:queue", "Look at the queue; pause, resume, retry, discard."),
    "doctor": ("quoth.cli.doctor:doctor", "Say what is in order and what is not."),
    "config": ("quoth.cli.config:config", "Show every setting and where it came from."),
    "database": ("quoth.cli.database:database", "Look at, migrate and dump the database."),
}

GUIDE = """\
What AI engines say about your brand.

\b
Try it without a key:
  quoth demo
  quoth check "Best bank for a small firm?" --brand Tochka --demo

\b
With keys:
  export QUOTH_CHATGPT_API_KEY=... QUOTH_PERPLEXITY_API_KEY=...
  quoth check "лучший банк для ИП?" --brand Точка --competitor Сбербанк --samples 2
"""


class LazyGroup(click.Group):
    """Knows its commands by import path."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands, in the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, help=GUIDE, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(quoth.__version__, "-V", "--version", prog_name="quoth")
def cli() -> None:
    """Hold the commands."""


def main() -> None:
    """Run the command that was typed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that has no Cyrillic shows question marks rather than a traceback.
            stream.reconfigure(errors="replace")
    cli(prog_name="quoth")


if __name__ == "__main__":
    main()
