"""What the CLI's tests share: commands run here or as processes, and a check to show."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from click.testing import CliRunner, Result

from quoth.capture.views.shapes import (
    AnswerView,
    AskedEngine,
    AskedPrompt,
    CaptureOutcome,
    CaptureView,
    CheckState,
    CheckView,
    CitationView,
    JobState,
    MentionView,
    Money,
    Named,
    WatchedBrand,
)
from quoth.cli.main import cli

STARTED = datetime(2026, 3, 1, 12, tzinfo=UTC)
BRANDS = (
    WatchedBrand(1, "Точка", True, (), ()),
    WatchedBrand(2, "Сбербанк", False, (), ()),
)
PROMPTS = (AskedPrompt(1, 1, "Лучший банк для ИП?", "ru", "RU"),)
CHATGPT = AskedEngine("chatgpt", "ChatGPT", "simulator", "gpt")


def quoth(*arguments: str, stdin: str | None = None, **environment: str | None) -> Result:
    """Run a command in this process, with no settings but these."""
    clean = {name: None for name in os.environ if name.startswith("QUOTH_")}
    return CliRunner().invoke(
        cli,
        arguments,
        input=stdin,
        env={**clean, "COLUMNS": "80", "QUOTH_CONFIG": os.devnull, **environment},
        prog_name="quoth",
        terminal_width=80,
    )


def environment(**extra: str) -> dict[str, str]:
    """The environment of a process with no settings but these."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("QUOTH_")}
    return {**kept, "QUOTH_CONFIG": os.devnull, **extra}


def command(*arguments: str) -> Sequence[str]:
    """The command line that runs quoth as a process."""
    return [sys.executable, "-m", "quoth.cli.main", *arguments]


def quoth_process(*arguments: str, **extra: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command as a process to its end."""
    return subprocess.run(
        command(*arguments), env=environment(**extra), capture_output=True, timeout=60, check=False
    )


def capture_view(
    number: int = 1,
    *,
    outcome: CaptureOutcome | None = "answered",
    state: JobState = "done",
    reason: str | None = None,
    named: tuple[Named, ...] = (Named("Сбербанк", False, 1, 2), Named("Точка", True, 3, 1)),
    sample: int = 1,
    tries: int = 1,
    due_at: datetime | None = None,
) -> CaptureView:
    return CaptureView(
        id=number,
        prompt_id=1,
        engine="chatgpt",
        surface="simulator",
        sample=sample,
        state=state,
        outcome=outcome,
        reason=reason,
        error_class=None,
        since=STARTED,
        tries=tries,
        max_tries=4,
        due_at=due_at,
        named=named,
        citations=1,
        took=timedelta(seconds=7.5),
        cost=Money(Decimal("0.0100"), "USD"),
        possibly_paid=0,
    )


def check_view(*captures: CaptureView, state: CheckState = "complete") -> CheckView:
    return CheckView(
        id=12,
        state=state,
        brands=BRANDS,
        prompts=PROMPTS,
        engines=(CHATGPT,),
        samples=max(capture.sample for capture in captures),
        started_by="command",
        for_day=date(2026, 3, 1),
        started_at=STARTED,
        expires_at=STARTED + timedelta(hours=24),
        ended_at=None if state == "running" else STARTED + timedelta(seconds=125),
        outcomes=Counter(each.outcome for each in captures if each.outcome is not None),
        open=Counter(each.state for each in captures if each.outcome is None),
        cost=(Money(Decimal("0.0300"), "USD"),),
        captures=captures,
    )


def answer_view(capture: CaptureView, text: str | None = "Точка и Сбербанк.") -> AnswerView:
    return AnswerView(
        check_id=12,
        capture=capture,
        prompt=PROMPTS[0],
        engine=CHATGPT,
        brands=BRANDS,
        text=text,
        model="gpt",
        searched=True,
        queries=(),
        answered_at=STARTED,
        mentions=(MentionView("Точка", True, 0, 5, "Точка"),) if text else (),
        citations=(
            (CitationView(1, "https://www.banki.ru/1", "banki.ru", "Рейтинг", True, 0, 5),)
            if text
            else ()
        ),
        attempts=(),
    )
