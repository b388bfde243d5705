"""`quoth simulate`: the simulated engines alone, for trying and for tests."""

import asyncio
from pathlib import Path

import click

from quoth.cli.running import Failure, Refusal
from quoth.settings.catalogue import SIMULATOR_URL
from quoth.settings.listen import Listen, parse_listen
from quoth.simulator.serve import Simulator, run_simulator, serve_simulator


class ListenType(click.ParamType[Listen]):
    """`host:port`."""

    name = "host:port"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Listen:
        """Read it, or say what is wrong."""
        if isinstance(value, Listen):
            return value
        try:
            return parse_listen(str(value))
        except ValueError as error:
            self.fail(f"{value!r} {error}.", param, ctx)


@click.command()
@click.option(
    "--listen", type=ListenType(), default="127.0.0.1:0", show_default=True, metavar="HOST:PORT",
    help="A loopback address; port 0 takes a free one.",
)  # fmt: skip
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed, the same answers."
)
@click.option(
    "--speed", type=click.FloatRange(0, 10_000, min_open=True), default=1.0, show_default=True,
    help="1 is as slow as the real engines; 100 a hundred times faster.",
)  # fmt: skip
@click.option(
    "--journal", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Remember purchases here, so that a restart knows them.",
)  # fmt: skip
def simulate(listen: Listen, seed: int, speed: float, journal: Path | None) -> None:
    """Serve simulated engines over real HTTP, in their own wire formats.

    GET /control/purchases says what was bought, POST /control/faults breaks things. What they
    answer is marked as simulated and never counts beside real answers.
    """
    if not listen.is_loopback:
        raise Refusal(
            f"{listen} can be reached from other machines: simulate on a loopback address."
        )
    simulator = serve_simulator(
        host=listen.host, port=listen.port, seed=seed, speed=speed, journal=journal
    )
    try:
        run_simulator(simulator, ready=_announce_soon)
    except OSError as error:
        raise Failure(f"Cannot listen on {listen}: {error.strerror}.") from error


def _announce_soon(simulator: Simulator) -> None:
    # Whoever reads the address may end us at once: by then the signals must be heard.
    asyncio.get_running_loop().call_soon(_announce, simulator)


def _announce(simulator: Simulator) -> None:
    click.echo(f"Simulated engines are at {simulator.url}")
    click.echo(f"export {SIMULATOR_URL.variable}={simulator.url}")
