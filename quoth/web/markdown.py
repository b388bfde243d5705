"""An answer as the engine gave it: its Markdown, made safe, with brands marked where they stand."""

import html
import re
from collections.abc import Sequence

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from quoth.capture.views import MentionView

# Private-use characters stand for the marks while Markdown is rendered; an answer's own go.
OPEN, CLOSE, END = "\ue000", "\ue001", "\ue002"
SENTINELS = re.compile(f"{OPEN}\\d+{END}|{CLOSE}")
PRIVATE = re.compile("[\ue000-\ue002]")
LONGEST = 200_000

TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "mark",
    "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "mark": {"class", "title"}, "ol": {"start"}}


def _image_as_link(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, _env: EnvType
) -> str:
    """No picture is loaded from elsewhere: its address is told instead."""
    source = html.escape(str(tokens[index].attrGet("src") or ""))
    return f'<a href="{source}">{html.escape(tokens[index].content) or source}</a>'


_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_markdown.add_render_rule("image", _image_as_link)


def render_answer(text: str, mentions: Sequence[MentionView]) -> str:
    """Return safe HTML. Mentions are spans of code points in `text`."""
    marked = _with_sentinels(text[:LONGEST], mentions)
    rendered = _markdown.render(marked)
    # Within a tag (an address, a title) a sentinel is only in the way.
    rendered = re.sub(r"<[^>]*>", lambda tag: SENTINELS.sub("", _unquoted(tag.group())), rendered)
    rendered = _as_marks(rendered, mentions)
    return nh3.clean(
        rendered,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https"},
        link_rel="nofollow noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _unquoted(tag: str) -> str:
    """In an address the sentinels are percent-encoded."""
    for character in (OPEN, CLOSE, END):
        quoted = "".join(f"%{byte:02X}" for byte in character.encode())
        tag = tag.replace(quoted, character)
    return tag


def _with_sentinels(text: str, mentions: Sequence[MentionView]) -> str:
    parts: list[str] = []
    at = 0
    for number, mention in enumerate(sorted(mentions, key=lambda each: each.start)):
        if mention.start < at or mention.end > len(text):
            continue
        parts += [
            PRIVATE.sub("", text[at : mention.start]),
            f"{OPEN}{number}{END}",
            PRIVATE.sub("", text[mention.start : mention.end]),
            CLOSE,
        ]
        at = mention.end
    return "".join((*parts, PRIVATE.sub("", text[at:])))


def _as_marks(rendered: str, mentions: Sequence[MentionView]) -> str:
    ordered = sorted(mentions, key=lambda each: each.start)
    opened = 0

    def mark(found: re.Match[str]) -> str:
        nonlocal opened
        if found.group() == CLOSE:
            if not opened:
                return ""
            opened -= 1
            return "</mark>"
        mention = ordered[int(found.group()[1:-1])]
        opened += 1
        kind = "ours" if mention.ours else "other"
        return f'<mark class="brand {kind}" title="{html.escape(mention.brand)}">'

    return PRIVATE.sub("", SENTINELS.sub(mark, rendered))
