import os
import signal
import subprocess

from tests.cli.harness import command, environment, quoth


def test_it_says_where_it_is_and_what_to_set_until_it_is_stopped() -> None:
    running = subprocess.Popen(
        command("simulate", "--listen", "127.0.0.1:0", "--seed", "7"),
        env=environment(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout
    lines = [running.stdout.readline() for _ in range(2)]

    os.kill(running.pid, signal.SIGTERM)
    _, said = running.communicate(timeout=30)

    assert lines[0].startswith("Simulated engines are at http://127.0.0.1:")
    assert lines[1] == f"export QUOTH_SIMULATOR_URL={lines[0].split()[-1]}\n"
    assert (running.returncode, said) == (0, "")


def test_an_address_that_others_reach_is_refused() -> None:
    refused = quoth("simulate", "--listen", "0.0.0.0:0")

    assert refused.exit_code == 2
    assert "loopback" in refused.stderr


def test_what_is_no_address_is_refused() -> None:
    refused = quoth("simulate", "--listen", "here")

    assert refused.exit_code == 2
    assert "must be host:port" in refused.stderr
