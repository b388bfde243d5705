import io
import json

from rich.console import Console

from quoth.cli.document import document_of
from quoth.cli.progress import open_progress
from quoth.cli.report import print_report
from tests.cli.harness import answer_view, capture_view, check_view


def console(*, terminal: bool = False) -> Console:
    return Console(file=io.StringIO(), width=100, force_terminal=terminal, highlight=False)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_report_says_who_was_named_where_with_sources() -> None:
    refused = capture_view(2, outcome="refused", reason="the engine declined", named=(), sample=2)
    check = check_view(capture_view(), refused, state="partial")
    out = console()

    print_report(out, check, [answer_view(check.captures[0]), answer_view(refused, None)])

    text = written(out)
    assert "Check 12 is partial." in text
    assert "ChatGPT 1/2  answered" in text
    assert "named: Точка x3, Сбербанк" in text
    assert "refused: the engine declined" in text
    assert "banki.ru  in 1 of 1 answers" in text
    assert "Точка was named in 1 of 1 answers." in text
    assert "1 of 2 captures have no answer." in text
    assert "Cost: 0.03 USD." in text


def test_the_document_is_whole() -> None:
    check = check_view(capture_view())

    document = json.loads(document_of(check, [answer_view(check.captures[0])]).model_dump_json())

    assert (document["check"], document["state"]) == (12, "complete")
    assert document["cost"] == [{"amount": "0.0300", "currency": "USD"}]
    [capture] = document["captures"]
    assert capture["prompt"] == "Лучший банк для ИП?"
    assert (capture["engine"], capture["surface"], capture["sample"]) == ("chatgpt", "simulator", 1)
    assert (capture["outcome"], capture["reason"], capture["took"]) == ("answered", None, 7.5)
    assert capture["mentions"] == [
        {"brand": "Точка", "ours": True, "start": 0, "end": 5, "surface": "Точка"}
    ]
    assert capture["citations"][0]["domain"] == "banki.ru"
    assert [name["brand"] for name in capture["named"]] == ["Сбербанк", "Точка"]


def test_without_a_terminal_each_change_is_a_line_once() -> None:
    out = console()
    running = capture_view(outcome=None, state="running", named=())

    with open_progress(out) as progress:
        progress.show(check_view(running, state="running"))
        progress.show(check_view(running, state="running"))
        progress.show(check_view(capture_view()))
        progress.show(check_view(capture_view()))

    first, second = written(out).splitlines()
    assert first.startswith("Check 12: 0 of 1")
    assert second == "ChatGPT 1/1  Лучший банк для ИП?: answered; named: Точка x3, Сбербанк"


def test_a_reason_to_wait_is_a_line() -> None:
    out = console()
    waiting = capture_view(outcome=None, state="waiting", reason="slow down", named=())

    with open_progress(out) as progress:
        progress.show(check_view(waiting, state="running"))

    assert "waiting, try 1 of 4, slow down" in written(out)


def test_on_a_terminal_the_matrix_is_drawn() -> None:
    out = console(terminal=True)

    with open_progress(out) as progress:
        progress.show(check_view(capture_view(), state="running"))

    assert "Check 12: 1 of 1" in written(out)
    assert "ChatGPT" in written(out)


def test_a_prompt_that_looks_like_markup_is_text() -> None:
    out = console()
    capture = capture_view(outcome="failed", reason="[bold]not markup[/nonsense]", named=())

    print_report(out, check_view(capture, state="failed"), [answer_view(capture, None)])

    assert "[bold]not markup[/nonsense]" in written(out)
