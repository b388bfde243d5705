"""Write what became of a capture, once: its answer with all that was read in it, or why not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quoth.analysis.citations import Citation, GivenLink, read_citations
from quoth.analysis.mentions import Mention, Watched, find_mentions
from quoth.analysis.version import READER_VERSION
from quoth.capture.attempts import LATE, Ask, keep_late, storable, stored_raw, stored_usage
from quoth.capture.channels import CHECK_CHANGED
from quoth.capture.manifest import read_brands
from quoth.providers.contract import Link, Raw, Reply
from quoth.queue.job import Ended
from quoth.storage import Statements, Transaction

sql = Statements(__package__)

LOST_AT_END = "the capture ended while the call was out: it may have been taken and paid"


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply in the form in which it is kept, and what our reader found in it."""

    reply: Reply
    mentions: tuple[Mention, ...]
    citations: tuple[Citation, ...]


def read_answer(ask: Ask, reply: Reply) -> Reading:
    """Read the reply for the brands of the check. Pure: done before a transaction is open."""
    kept = replace(
        reply,
        text=storable(reply.text),
        model=storable(reply.model),
        queries=tuple(map(storable, reply.queries)),
        links=tuple(_storable_link(link) for link in reply.links),
        reason=reply.reason and storable(reply.reason),
    )
    watched = [Watched(brand.id, (brand.name, *brand.aliases)) for brand in read_brands(ask.brands)]
    links = [
        GivenLink(link.url, link.title, link.used, link.start, link.end) for link in kept.links
    ]
    return Reading(kept, tuple(find_mentions(kept.text, watched)), tuple(read_citations(links)))


async def save_answer(
    tx: Transaction, ask: Ask, attempt_id: int, reading: Reading, raw: Raw
) -> None:
    """The capture's outcome, its answer, the reading and the attempt's end.

    Other calls of the capture that are still open have come too late. A capture that has an
    outcome already keeps it, and the reply stays in its attempt.
    """
    reply, mentions, citations = reading.reply, reading.mentions, reading.citations
    named = Counter(mention.brand_id for mention in sorted(mentions, key=lambda one: one.start))
    saved = await tx.values(
        sql.save_answer,
        workspace_id=ask.workspace_id,
        capture_id=ask.id,
        attempt_id=attempt_id,
        outcome=reply.finding,
        reason=reply.reason,
        text=reply.text,
        model=reply.model,
        searched=reply.searched,
        queries=list(reply.queries),
        links=[_link_json(link) for link in reply.links],
        version=READER_VERSION,
        named=list(named.keys()),
        times=list(named.values()),
        cited=sum(citation.used for citation in citations),
        brand_ids=[mention.brand_id for mention in mentions],
        mention_starts=[mention.start for mention in mentions],
        mention_ends=[mention.end for mention in mentions],
        surfaces=[mention.surface for mention in mentions],
        positions=[citation.position for citation in citations],
        urls=[citation.url for citation in citations],
        domains=[citation.domain for citation in citations],
        titles=[citation.title for citation in citations],
        used=[citation.used for citation in citations],
        citation_starts=[citation.start for citation in citations],
        citation_ends=[citation.end for citation in citations],
        late=LATE,
        **stored_usage(reply.usage, reply.cost),
        **stored_raw(raw),
    )
    if not saved:
        await keep_late(tx, ask, attempt_id, reply, raw)
    tx.notify(CHECK_CHANGED, str(ask.check_id))


async def end_captures(tx: Transaction, ended: Sequence[Ended]) -> None:
    """Give the captures of jobs that ended without an answer their outcome.

    A call whose id is not known is closed as possibly paid; an accepted one stays open, so that a
    manual retry re-attaches to what was bought.
    """
    check_ids = await tx.values(
        sql.end_captures,
        workspace_ids=[job.payload["workspace"] for job in ended],
        capture_ids=[job.payload["capture"] for job in ended],
        hows=[job.how for job in ended],
        reasons=[storable(job.reason) for job in ended],
        lost=LOST_AT_END,
    )
    for check_id in dict.fromkeys(check_ids):
        tx.notify(CHECK_CHANGED, str(check_id))


def _storable_link(link: Link) -> Link:
    return replace(link, url=storable(link.url), title=link.title and storable(link.title))


def _link_json(link: Link) -> dict[str, object]:
    return {
        "url": link.url,
        "title": link.title,
        "used": link.used,
        "start": link.start,
        "end": link.end,
    }
