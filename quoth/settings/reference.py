"""The list of settings in `docs/settings.md`, made from their descriptions."""

from collections.abc import Iterable

from quoth.settings.catalogue import OF_THE_PROCESS, of_engine
from quoth.settings.setting import Setting


def tables() -> str:
    """Return the settings as Markdown: those of the process, then those of any engine."""
    return "\n".join(
        [
            "## The process",
            "",
            *_table(OF_THE_PROCESS),
            "",
            "## Each engine",
            "",
            "`<engine>` is `chatgpt`, `perplexity`, …; in variables it is in capitals "
            "(`QUOTH_CHATGPT_API_KEY`), in the file a table (`[engines.chatgpt]`).",
            "",
            *_table(of_engine("<engine>").all),
            "",
        ]
    )


def _table(settings: Iterable[Setting[object]]) -> Iterable[str]:
    yield "| Variable | In the file | Value | Default | What it does |"
    yield "|---|---|---|---|---|"
    for setting in settings:
        default = setting.implied or f"`{setting.default}`"
        also = " May be given as a file (`_FILE`, `_file`)." if setting.or_file else ""
        secret = " Never shown." if setting.secret else ""
        yield (
            f"| `{setting.variable}` | `{setting.name}` | {setting.kind} | {default} "
            f"| {setting.doc}{secret}{also} |"
        )
