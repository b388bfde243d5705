"""Prompts: what may be one, finding or making many at once, and editing one."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from quoth.storage import Statements, Transaction

sql = Statements(__package__)

LONGEST_TEXT = 4_000

# Control characters (Unicode's category Cc) but for a new line and a tabulator; and halves of
# surrogate pairs (Cs), which cannot be stored.
UNKEPT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

ISO_639_1 = (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da "
    "de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy "
    "hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg "
    "li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or "
    "os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta "
    "te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
LANGUAGES = frozenset(ISO_639_1.split())

ISO_3166_1 = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR "
    "BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ "
    "EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW "
    "GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY "
    "KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV "
    "MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY "
    "QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG "
    "TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM "
    "ZW"
)
COUNTRIES = frozenset(ISO_3166_1.split())


class BadPrompt(ValueError):
    """Not a prompt; the text says why, in words for whoever typed it."""


class PromptExists(Exception):
    """Another prompt has this text, language and country."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question as it is kept: its current revision."""

    id: int
    revision: int
    text: str
    language: str
    country: str


@dataclass(frozen=True, slots=True)
class PromptText:
    """A question as it may be kept: ISO 639-1 language, ISO 3166-1 country."""

    text: str
    language: str
    country: str

    @property
    def digest(self) -> bytes:
        """Equal for equal prompts; short enough for an index."""
        return hashlib.sha256(f"{self.language}\n{self.country}\n{self.text}".encode()).digest()


def clean_prompt(text: str, language: str, country: str) -> PromptText:
    """The prompt in the form in which it is kept. Raises `BadPrompt`."""
    clean = text.replace("\r\n", "\n").strip()
    if not clean:
        raise BadPrompt("a prompt cannot be empty")
    if len(clean) > LONGEST_TEXT:
        raise BadPrompt(
            f"a prompt has at most {LONGEST_TEXT:,} characters, this one has {len(clean):,}"
        )
    if UNKEPT.search(clean):
        raise BadPrompt("a prompt cannot have control characters in it")
    if language.strip().lower() not in LANGUAGES:
        raise BadPrompt(f"{language!r} is not a language such as ru or en (ISO 639-1)")
    if country.strip().upper() not in COUNTRIES:
        raise BadPrompt(f"{country!r} is not a country such as RU or GB (ISO 3166-1)")
    return PromptText(clean, language.strip().lower(), country.strip().upper())


async def keep_prompts(
    tx: Transaction, workspace_id: int, prompts: Sequence[PromptText]
) -> list[Prompt]:
    """The prompts in the order given, made where they are missing."""
    kept = await _find(tx, workspace_id, prompts)
    # In one order, so that two who make the same prompts never wait for each other in a circle.
    missing = sorted(set(prompts) - kept.keys(), key=lambda prompt: prompt.digest)
    if missing:
        await tx.run(
            sql.insert_prompts,
            workspace_id=workspace_id,
            texts=[prompt.text for prompt in missing],
            languages=[prompt.language for prompt in missing],
            countries=[prompt.country for prompt in missing],
            digests=[prompt.digest for prompt in missing],
        )
        kept |= await _find(tx, workspace_id, missing)
    return [kept[prompt] for prompt in prompts]


async def edit_prompt(
    tx: Transaction, workspace_id: int, prompt_id: int, new: PromptText
) -> Prompt:
    """Give the prompt a new revision; checks that were started keep asking the old one.

    The same text again is no edit. Raises `NotFound` or `PromptExists`.
    """
    values = {
        "workspace_id": workspace_id,
        "prompt_id": prompt_id,
        "text": new.text,
        "language": new.language,
        "country": new.country,
        "digest": new.digest,
    }
    old = await tx.one(Prompt, sql.lock_prompt, workspace_id=workspace_id, prompt_id=prompt_id)
    if (old.text, old.language, old.country) == (new.text, new.language, new.country):
        return old
    edited = await tx.maybe(Prompt, sql.revise_prompt, **values)
    if edited is None:
        raise PromptExists
    return edited


async def _find(
    tx: Transaction, workspace_id: int, prompts: Sequence[PromptText]
) -> dict[PromptText, Prompt]:
    found = await tx.all(
        Prompt,
        sql.find_prompts,
        workspace_id=workspace_id,
        digests=[prompt.digest for prompt in prompts],
    )
    return {PromptText(row.text, row.language, row.country): row for row in found}
