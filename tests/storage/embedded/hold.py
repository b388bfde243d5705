"""A process that uses the embedded server of a directory until its input ends."""

import asyncio
import sys
from pathlib import Path

from quoth.observability.events import Event, subscribe
from quoth.storage.embedded import EmbeddedServerError, embedded_server


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def tell(event: Event) -> None:
    say(event.name, event.facts.get("what", ""))


async def end_of_input() -> None:
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, ended.set)
    await ended.wait()


async def main(data_dir: Path) -> int:
    subscribe(tell)
    try:
        async with embedded_server(data_dir) as url:
            say("address", url)
            await end_of_input()
    except EmbeddedServerError as error:
        say("refused", type(error).__name__, error.message)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]))))
