"""How a command runs its work, and how it ends when it cannot."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import IO, Any, TypeVar

import click

from quoth.accounts.access import UnsafeListen
from quoth.app.errors import CannotStart
from quoth.settings.values import Settings
from quoth.storage import DatabaseUnavailable
from quoth.storage.addresses import Addresses
from quoth.storage.dump import DumpFailed
from quoth.storage.embedded.errors import EmbeddedServerError
from quoth.storage.embedded.run import embedded_server
from quoth.storage.migration import SchemaError

if sys.platform == "win32":
    new_event_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.SelectorEventLoop
else:
    from uvloop import new_event_loop

T = TypeVar("T")


class Refusal(click.ClickException):
    """Bad input or settings: one sentence on stderr and exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Say the sentence."""
        click.echo(f"quoth: {one_sentence(self.message)}", file=file, err=file is None)


class Failure(Refusal):
    """What was asked cannot be done here and now."""

    exit_code = 1


class Interrupted(Refusal):
    """Ctrl-C."""

    exit_code = 130


def one_sentence(text: str) -> str:
    """Put what another room says on one line with one full stop."""
    return " ".join(text.split()).rstrip(".") + "."


def run(work: Coroutine[object, object, T]) -> T:
    """Run `work` to its end. What keeps it from starting is a sentence, not a traceback."""
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(work)
    except (CannotStart, EmbeddedServerError, SchemaError, DumpFailed) as error:
        raise Failure(str(error)) from error
    except DatabaseUnavailable as error:
        raise Failure(f"The database does not answer: {error}") from error
    except UnsafeListen as error:
        raise Refusal(str(error)) from error


@asynccontextmanager
async def reach_database(settings: Settings) -> AsyncIterator[Addresses]:
    """Yield how to reach the database; the embedded server runs until the block ends."""
    if settings.database_url is not None:
        yield Addresses(settings.database_url, settings.database_direct_url)
        return
    async with embedded_server(settings.data_dir) as url:
        yield Addresses.of(url)
