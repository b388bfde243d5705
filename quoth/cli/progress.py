"""A check as it goes on: a live table on a terminal, a line for each change elsewhere."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from quoth.capture.views.shapes import CheckView
from quoth.cli import words

MOST_ROWS = 20


class Progress(Protocol):
    """Something that shows a check each time it has changed."""

    def show(self, check: CheckView) -> None:
        """Show it as it is now."""
        ...


@contextmanager
def open_progress(console: Console) -> Iterator[Progress]:
    """Show progress on `console` until the block ends."""
    if not console.is_terminal:
        yield Lines(console)
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield Matrix(live)


class Matrix:
    """Prompts down, engines across, drawn again in place."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def show(self, check: CheckView) -> None:
        """Draw the check."""
        self._live.update(Group(Text(headline(check), style="bold"), matrix(check)), refresh=True)


class Lines:
    """One line for each capture whose state has changed."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: dict[int, tuple[object, ...]] = {}

    def show(self, check: CheckView) -> None:
        """Write what is new."""
        prompts = {prompt.id: prompt.text for prompt in check.prompts}
        titles = {engine.engine: engine.title for engine in check.engines}
        if not self._shown:
            self._write(headline(check))
        for capture in check.captures:
            now = (capture.outcome, capture.state, capture.tries, capture.reason)
            before = self._shown.get(capture.id)
            self._shown[capture.id] = now
            if now == before or (capture.outcome is None and capture.state != "waiting"):
                continue
            who = f"{titles.get(capture.engine, capture.engine)} {capture.sample}/{check.samples}"
            line = f"{who}  {words.short(prompts[capture.prompt_id], 50)}: {words.state(capture)}"
            if capture.outcome is not None:
                line += f"; named: {words.named(capture)}"
            self._write(line)

    def _write(self, line: str) -> None:
        self._console.print(Text(line), soft_wrap=True)


def headline(check: CheckView) -> str:
    """`Check 12: 5 of 8, 14s, cost so far 0.03 USD`."""
    since = words.took((check.ended_at or datetime.now(UTC)) - check.started_at)
    return (
        f"Check {check.id}: {check.over} of {check.total}, {since}, "
        f"cost so far {words.cost(check.cost, check.unpriced)}"
    )


def matrix(check: CheckView) -> Table:
    """The check's cells as they are now; the first prompts where there are many."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("Prompt", overflow="ellipsis", no_wrap=True, max_width=40)
    for engine in check.engines:
        table.add_column(engine.title, overflow="fold")
    for prompt in check.prompts[:MOST_ROWS]:
        cells = [_cell(check, prompt.id, engine.engine) for engine in check.engines]
        table.add_row(Text(words.plain(prompt.text)), *cells)
    if len(check.prompts) > MOST_ROWS:
        table.add_row(Text(f"and {len(check.prompts) - MOST_ROWS} more prompts", style="dim"))
    return table


def _cell(check: CheckView, prompt_id: int, engine: str) -> Text:
    captures = [
        each for each in check.captures if each.prompt_id == prompt_id and each.engine == engine
    ]
    if len(captures) == 1:
        text = words.state(captures[0])
    else:
        counts = Counter(words.state(capture) for capture in captures)
        text = ", ".join(f"{count} {what}" for what, count in counts.items())
    over = all(capture.outcome is not None for capture in captures)
    return Text(text, style="" if over else "dim")
