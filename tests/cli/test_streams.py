import subprocess

from tests.cli.harness import command, environment, quoth_process


def test_a_reader_that_goes_away_is_no_crash() -> None:
    running = subprocess.Popen(
        command("config"), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout
    assert running.stderr
    running.stdout.close()

    said = running.stderr.read()
    running.wait(60)
    running.stderr.close()

    assert said == b""


def test_a_terminal_without_cyrillic_is_no_crash() -> None:
    asked = quoth_process(
        "check", "лучший банк?", "--brand", "Ё", "--engine", "жук", PYTHONIOENCODING="latin-1"
    )

    assert asked.returncode == 2
    assert asked.stderr == b"quoth: There is no engine '???'; there are chatgpt, perplexity.\n"
