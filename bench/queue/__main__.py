"""`python -m bench.queue [NAME ...]`: our queue and its peers, all or what is named.

A name is a system's (ours is always measured) or one of `drain`, `pickup`, `waits`, `recover`,
`claim_flat`.
"""

import asyncio
import signal
import sys

from bench.queue.claim_flat import claim_flat
from bench.queue.figures import MEASURES, Figures, result, table
from bench.queue.rounds import KINDS, Rounds
from bench.queue.server import Server
from bench.queue.systems import OURS, PEERS, System, systems
from bench.results import keep

ROUNDS = 3
WORKS = (*KINDS, "recover", "claim_flat")


async def main(names: list[str]) -> None:
    # Whoever stops us stops what we have started, too.
    if measuring := asyncio.current_task():
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, measuring.cancel)
    if unknown := set(names) - {*WORKS, *PEERS, "oban"}:
        raise SystemExit(f"no such name: {', '.join(sorted(unknown))}; see bench/queue/__main__.py")
    works = [name for name in WORKS if name in names] or WORKS
    figures = Figures()
    present = _present([name for name in names if name not in WORKS], figures)
    async with Server.start() as server:
        rounds = Rounds(server, present, figures)
        for nth in range(ROUNDS):
            for kind in KINDS:
                if kind in works:
                    await rounds.measure(kind, nth)
        if "recover" in works:
            await rounds.recover(ROUNDS)
        results = [result(measure, figures, present[0].title) for measure in MEASURES]
        if "claim_flat" in works:
            results.append(await claim_flat(server, ROUNDS))
        for each in results:
            if each is not None:
                keep(each, await server.version())
    print(table(figures), flush=True)


def _present(named: list[str], figures: Figures) -> list[System]:
    """Who can be measured; who cannot is noted with the reason."""
    present = []
    for system in systems():
        if named and system.name not in (OURS, *named):
            continue
        if isinstance(system, System):
            present.append(system)
        else:
            for measure in MEASURES:
                figures.fail(measure.name, system.name, system.why)
    return present


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
