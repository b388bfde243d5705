"""An answer as HTML: its Markdown, with brands marked where they stand, and nothing that acts."""

import re
from collections.abc import Sequence
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from quoth.capture.views.shapes import MentionView
from quoth.web.captures.highlight import Marker, with_marks, without_marks

# No engine writes as much; more would only hold up the page. The raw reply is there whole.
LONGEST = 100_000

TAGS = {
    "a", "blockquote", "br", "code", "del", "div", "em", "h3", "h4", "h5", "h6", "hr", "li",
    "mark", "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "title"},
    "div": {"role", "tabindex"},
    "mark": {"id", "title"},
    "ol": {"start"},
    "pre": {"role", "tabindex"},
}
CLASSES = {"a": {"image"}, "div": {"scroll"}, "mark": {"ours", "theirs"}}
SCHEMES = {"http", "https", "mailto"}
ELSEWHERE = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


def render_answer(text: str, mentions: Sequence[MentionView]) -> Markup:
    """Return HTML that is safe whatever the answer says. Spans are code points of `text`.

    Nothing is loaded from elsewhere: a picture becomes a link to it.
    """
    given = text[:LONGEST]
    within = [mention for mention in mentions if mention.end <= LONGEST]
    rendered = _markdown.render(with_marks(given, within), {"marking": _Marking(within)})
    safe = nh3.clean(
        rendered,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes=CLASSES,
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(safe)  # noqa: S704 - this is the sanitiser's own output


class _Marking:
    """Writes text with its marks; each mark's first piece can be linked to."""

    def __init__(self, mentions: Sequence[MentionView]) -> None:
        self._mentions = mentions
        self._marker = Marker()
        self._begun: set[int] = set()
        self._headings: list[int] = []
        self.links = 0

    def heading(self, level: int) -> str:
        """The tag of a heading: below the page's own, and never more than one below the last."""
        while self._headings and self._headings[-1] >= level:
            self._headings.pop()
        self._headings.append(level)
        return f"h{min(6, len(self._headings) + 2)}"

    def html(self, text: str) -> str:
        """Every element ends where it began: a mark over several is a piece in each."""
        return "".join(
            escape(piece) if number is None else self._marked(piece, number)
            for piece, number in self._marker.pieces(text)
        )

    def _marked(self, piece: str, number: int) -> str:
        mention = self._mentions[number]
        place = "" if number in self._begun else f' id="mention-{number + 1}"'
        self._begun.add(number)
        kind = "ours" if mention.ours else "theirs"
        return f'<mark class="{kind}" title="{escape(mention.brand)}"{place}>{escape(piece)}</mark>'


class _Renderer(RendererHTML):
    """Renders as CommonMark says, but for what is below."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Text with its marks."""
        return _marking(env).html(tokens[idx].content)

    def code_inline(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Code has marks, too."""
        return f"<code>{_marking(env).html(tokens[idx].content)}</code>"

    def code_block(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """A block of code scrolls in its place, by keyboard as well."""
        code = _marking(env).html(tokens[idx].content)
        return f'<pre role="group" tabindex="0"><code>{code}</code></pre>\n'

    fence = code_block

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A link to the picture, or only its description where that is a link already."""
        token = tokens[idx]
        source = str(token.attrs.get("src", ""))
        described = self.renderInlineAsText(token.children, options, env)
        said = _marking(env).html(described) or escape(source)
        if _marking(env).links:
            return said
        return f'<a class="image" href="{escape(source)}">{said}</a>'

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """No mark stands in a title."""
        if title := tokens[idx].attrGet("title"):
            tokens[idx].attrSet("title", without_marks(str(title)))
        _marking(env).links += 1
        return self.renderToken(tokens, idx, options, env)

    def link_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """See `image`."""
        _marking(env).links -= 1
        return self.renderToken(tokens, idx, options, env)

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """A heading and its text, then its end, have one tag."""
        tag = _marking(env).heading(int(tokens[idx].tag[1:]))
        tokens[idx].tag = tokens[idx + 2].tag = tag
        return self.renderToken(tokens, idx, options, env)

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """A wide table scrolls in its place, by keyboard as well."""
        return '<div class="scroll" role="group" tabindex="0"><table>\n'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """See `table_open`."""
        return "</table></div>\n"


def _marking(env: EnvType) -> _Marking:
    marking: _Marking = env["marking"]
    return marking


class _Markdown(MarkdownIt):
    """Addresses are judged and kept without marks."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's name
        """Whether it may be a link at all: none leads into our own pages."""
        return ELSEWHERE.match(without_marks(url)) is not None

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        """The address as it stands in the page."""
        return super().normalizeLink(without_marks(url))


_markdown = _Markdown("commonmark", {"html": False}, renderer_cls=_Renderer).enable(
    ["table", "strikethrough"]
)
