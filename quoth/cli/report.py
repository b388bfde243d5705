"""What a check has found, in words: who was named where, and with which sources."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from quoth.capture.views.load_check import ANSWERED
from quoth.capture.views.shapes import AnswerView, CheckView
from quoth.cli import words

MOST_SOURCES = 10


def print_report(console: Console, check: CheckView, answers: Sequence[AnswerView]) -> None:
    """Print the check's end; `answers` are those of its captures."""
    answered = [each for each in answers if each.capture.outcome in ANSWERED]
    ours = sum(any(name.ours for name in each.capture.named) for each in answered)
    console.print(Text(f"Check {check.id} is {check.state}.", style="bold"))
    for prompt in check.prompts:
        console.print()
        console.print(Text(words.plain(prompt.text), style="bold"), soft_wrap=True)
        console.print(_captures(check, [each for each in answers if each.prompt.id == prompt.id]))
    console.print()
    _print_sources(console, answered)
    brand = words.plain(check.ours.name)
    _say(console, f"{brand} was named in {ours} of {len(answered)} answers.")
    if missing := check.total - len(answered):
        _say(console, f"{missing} of {check.total} captures have no answer.")
    _say(console, f"Cost: {words.cost(check.cost, check.unpriced)}.")
    paid = sum(capture.possibly_paid for capture in check.captures)
    if paid:
        _say(console, f"{paid} calls were possibly paid for without an answer.")


def _captures(check: CheckView, answers: Sequence[AnswerView]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for each in answers:
        capture = each.capture
        who = each.engine.title
        if check.samples > 1:
            who += f" {capture.sample}/{check.samples}"
        what = words.state(capture)
        if capture.reason and capture.outcome is not None:
            what += f": {words.plain(capture.reason)}"
        table.add_row(
            Text(f"  {who}"),
            Text(what),
            Text(f"named: {words.named(capture)}"),
            Text(f"{capture.citations} sources", style="dim"),
        )
    return table


def _print_sources(console: Console, answers: Sequence[AnswerView]) -> None:
    # A site counts once an answer, however often that answer cites it.
    domains = Counter(
        domain for each in answers for domain in {cited.domain for cited in each.citations}
    )
    if not domains:
        return
    console.print(Text("Sources", style="bold"))
    for domain, count in domains.most_common(MOST_SOURCES):
        _say(console, f"  {words.plain(domain)}  in {count} of {len(answers)} answers")
    if len(domains) > MOST_SOURCES:
        _say(console, f"  and {len(domains) - MOST_SOURCES} more")
    console.print()


def _say(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)
