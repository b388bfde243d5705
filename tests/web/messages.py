"""Every message of the pages, as the templates have it."""

from pathlib import Path

from babel.messages.extract import extract_from_dir

WEB = Path(__file__).parents[2] / "quoth" / "web"


def messages() -> set[str | tuple[str, ...]]:
    found = extract_from_dir(
        WEB / "templates",
        method_map=[("**.html", "jinja2.ext:babel_extract")],
        options_map={"**.html": {"trimmed": "false"}},
    )
    return {
        message if isinstance(message, str) else tuple(message) for _, _, message, _, _ in found
    }
