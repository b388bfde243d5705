"""What holds for every text, whatever an engine may answer."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from quoth.analysis.citations import GivenLink, read_citations
from quoth.analysis.endings import inflected
from quoth.analysis.fold import fold
from quoth.analysis.mentions import Watched, find_mentions

NAMES = ("Точка", "Café 9", "straße", "R&D", "Ёлка-Маркет", "vega.io", "青空", "İz", "ﬁne")
BRANDS = tuple(Watched(number, (name,)) for number, name in enumerate(NAMES))
PIECES = (
    *NAMES, *map(str.upper, NAMES), " ", "\n", "\n\n", "`", "```\n", "](", "[", ")", "_", "*", "-",
    "\u00ad", "\u0301", "\u0308", "&amp;", "\\", "https://a.ru/", "@", ".", "ё", "s", "<", ">", "¹",
    "точку", "Точке",
)  # fmt: skip
ANSWERS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


def forms(name: str) -> set[str]:
    """All that a name may be written as, folded."""
    folded = fold(name).text
    return {folded, folded.replace("é", "e"), *inflected(folded)}


@given(ANSWERS)
@example("\ud800Точка")
def test_each_mention_is_a_slice_that_folds_to_a_name_of_its_brand(text: str) -> None:
    for mention in find_mentions(text, BRANDS):
        assert text[mention.start : mention.end] == mention.surface
        assert fold(mention.surface).text in forms(NAMES[mention.brand_id])


@given(ANSWERS)
def test_mentions_stand_in_order_and_never_overlap(text: str) -> None:
    mentions = find_mentions(text, BRANDS)

    for one, next_one in pairwise(mentions):
        assert one.end <= next_one.start


@given(ANSWERS)
def test_folded_text_leads_back_to_where_it_came_from(text: str) -> None:
    folded = fold(text)

    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert folded.starts == sorted(folded.starts)
    assert all(
        0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True)
    )


@given(st.text(), st.sampled_from(NAMES), st.text())
def test_a_name_between_spaces_is_found_in_any_plain_sentence(
    before: str, name: str, after: str
) -> None:
    words = [part for part in (before, after) if part.isalnum()]
    text = " ".join([*words[:1], name, *words[1:]])

    surfaces = [mention.surface for mention in find_mentions(text, BRANDS)]

    assert name in surfaces


@given(st.lists(st.builds(GivenLink, st.text(), st.none() | st.text(), st.booleans())))
def test_reading_links_never_fails(links: list[GivenLink]) -> None:
    citations = read_citations(links)

    assert [citation.position for citation in citations] == list(range(1, len(citations) + 1))


@given(st.from_regex(r"https?://[\w.:@%\[\]-]{1,20}(?:/[^\s]{0,20})?(?:\?[^\s]{0,20})?"))
def test_a_canonical_address_is_its_own(url: str) -> None:
    for citation in read_citations([GivenLink(url, None, True, None, None)]):
        [again] = read_citations([GivenLink(citation.url, None, True, None, None)])
        assert again.url == citation.url
        assert again.domain == citation.domain
