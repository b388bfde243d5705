"""Watch a check to its end, and read what it has found."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from quoth.accounts.workspace import Workspace
from quoth.capture.views.follow_check import follow_check
from quoth.capture.views.load_answer import load_answer
from quoth.capture.views.load_check import load_check
from quoth.capture.views.shapes import AnswerView, CheckView
from quoth.cli.progress import Progress
from quoth.storage import Database


@dataclass(frozen=True, slots=True)
class Watched:
    """A check that is over, with all its captures' answers in their order."""

    check: CheckView
    answers: tuple[AnswerView, ...]


async def watch_check(
    database: Database, workspace: Workspace, check_id: int, progress: Progress
) -> Watched:
    """Show `progress` until the check is over. Raises `NotFound`."""
    async with aclosing(follow_check(database, check_id, asyncio.Event())) as looks:
        async for _ in looks:
            async with database.autocommit() as tx:
                check = await load_check(tx, workspace, check_id)
            progress.show(check)
            if check.state != "running":
                break
    async with database.autocommit() as tx:
        answers = [await load_answer(tx, workspace, capture.id) for capture in check.captures]
    return Watched(check, tuple(answers))
