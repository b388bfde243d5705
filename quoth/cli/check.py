"""`quoth check`: one check, from the command line to its last answer."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click
from rich.console import Console

from quoth.app.run import Quoth, open_quoth
from quoth.capture.new_check import MOST_SAMPLES, BadCheck, IdempotencyConflict, NewCheck
from quoth.capture.start_check import start_check
from quoth.capture.views.load_check import load_check
from quoth.capture.views.shapes import CheckState
from quoth.cli.check_input import Typed, new_check
from quoth.cli.document import document_of
from quoth.cli.options import with_settings
from quoth.cli.progress import open_progress
from quoth.cli.report import print_report
from quoth.cli.running import Interrupted, Refusal, run
from quoth.cli.watch_check import Watched, watch_check
from quoth.settings.values import Settings
from quoth.storage import NotFound

EXIT_CODES: Mapping[CheckState, int] = {
    "complete": 0,
    "running": 1,
    "partial": 3,
    "failed": 4,
    "cancelled": 5,
}


@click.command()
@click.argument("prompts", nargs=-1, metavar="[PROMPT]...")
@click.option("--brand", metavar="NAME", help="The brand that is watched.")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Another name of it.")
@click.option("--domain", "domains", multiple=True, metavar="DOMAIN", help="A site of its own.")
@click.option(
    "--competitor", "competitors", multiple=True, metavar="NAME", help="A brand to compare with."
)
@click.option(
    "--engine", "engines", multiple=True, metavar="ENGINE",
    help="chatgpt, perplexity, ...  [default: all that have a key]",
)  # fmt: skip
@click.option(
    "--samples", type=click.IntRange(1, MOST_SAMPLES), default=1, show_default=True,
    help="How often each engine is asked each prompt.",
)  # fmt: skip
@click.option(
    "--language", metavar="XX", help="ISO 639-1.  [default: ru for prompts in Cyrillic, else en]"
)
@click.option(
    "--country", metavar="XX", help="ISO 3166-1.  [default: RU for prompts in Cyrillic, else US]"
)
@click.option(
    "--file", type=click.Path(path_type=Path), metavar="FILE",
    help="Prompts, one a line; # starts a comment, - is standard input.",
)  # fmt: skip
@click.option("--demo", is_flag=True, help="Ask the built-in simulator; costs nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, nothing else.")
@click.option("--idempotency-key", metavar="KEY", help="The same key again shows the same check.")
@click.option("--resume", type=click.IntRange(min=1), metavar="ID", help="Show a check to its end.")
@with_settings("pool")
def check(  # noqa: PLR0913 - one parameter an option
    settings: Settings,
    prompts: tuple[str, ...],
    brand: str | None,
    aliases: tuple[str, ...],
    domains: tuple[str, ...],
    competitors: tuple[str, ...],
    engines: tuple[str, ...],
    samples: int,
    language: str | None,
    country: str | None,
    file: Path | None,
    demo: bool,
    as_json: bool,
    idempotency_key: str | None,
    resume: int | None,
) -> None:
    """Run one check here and show who was named where.

    Every PROMPT is asked of every engine, as often as --samples says. The check is in the database
    before the first call goes out: after Ctrl-C or a crash nothing is lost, and
    quoth check --resume ID shows it to its end.

    Exit codes: 0 complete, 3 partial, 4 failed, 5 cancelled, 2 bad input, 130 interrupted.
    """
    typed = Typed(
        prompts=prompts, file=file, brand=brand, aliases=aliases, domains=domains,
        competitors=competitors, engines=engines, samples=samples, language=language,
        country=country, idempotency_key=idempotency_key,
    )  # fmt: skip
    if resume is not None and typed.anything:
        raise Refusal("--resume shows a check that exists: give it without prompts and brands.")
    simulated = demo or settings.simulator_url is not None
    what = resume or new_check(typed, settings.engines, demo=simulated, stdin=sys.stdin)
    errors = Console(stderr=True, highlight=False)
    known = [resume] if resume else []
    try:
        watched = run(_check(settings, what, demo=demo, errors=errors, known=known))
    except KeyboardInterrupt:
        raise Interrupted(_interrupted(known)) from None
    _print(watched, as_json=as_json)
    sys.exit(EXIT_CODES[watched.check.state])


async def _check(
    settings: Settings, what: NewCheck | int, *, demo: bool, errors: Console, known: list[int]
) -> Watched:
    """Start the check, or find it, and watch it; its id is in `known` as soon as it exists."""
    async with open_quoth(settings, demo=demo, quiet=True) as quoth:
        if isinstance(what, NewCheck):
            known.append(await _start(quoth, what))
        else:
            await _warn(quoth, what, errors)
        with open_progress(errors) as progress:
            return await watch_check(quoth.database, quoth.workspace, known[0], progress)


async def _start(quoth: Quoth, new: NewCheck) -> int:
    try:
        started = await start_check(quoth.database, quoth.workspace, quoth.engines, new)
    except BadCheck as error:
        raise Refusal(f"{error.field}: {error.message}.") from error
    except IdempotencyConflict as error:
        raise Refusal("This idempotency key came before with another check.") from error
    return started.check.id


async def _warn(quoth: Quoth, check_id: int, errors: Console) -> None:
    """Say which of a running check's captures cannot go on here."""
    try:
        async with quoth.database.autocommit() as tx:
            check = await load_check(tx, quoth.workspace, check_id)
    except NotFound as error:
        raise Refusal(f"There is no check {check_id}.") from error
    here = {(name, each.route.surface) for name, each in quoth.engines.ready.items()}
    for engine in check.engines:
        if check.state == "running" and (engine.engine, engine.surface) not in here:
            errors.print(
                f"{engine.title} ({engine.surface}) cannot be asked here: its captures wait for a "
                "process that can.",
                soft_wrap=True,
            )


def _interrupted(known: list[int]) -> str:
    if not known:
        return "Interrupted before the check was started."
    return (
        f"Interrupted. Check {known[0]} is safe in the database; see it to its end with: "
        f"quoth check --resume {known[0]}"
    )


def _print(watched: Watched, *, as_json: bool) -> None:
    if not as_json:
        print_report(Console(highlight=False), watched.check, watched.answers)
        return
    document = document_of(watched.check, watched.answers)
    # Where the terminal has no Unicode, JSON has escapes.
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    click.echo(document.model_dump_json(indent=2, ensure_ascii=not unicode))
