"""What other rooms say in English (why a capture waits, what is wrong with a check), translated."""

import re
from functools import lru_cache

from babel.support import NullTranslations


class Sayings:
    """Sentences with gaps; one that is not known here stays as it was said."""

    def __init__(self, words: NullTranslations) -> None:
        self._refusals = _compiled(_refusals(words))
        self._reasons = _compiled(_reasons(words))
        self._classes = _classes(words)
        self.reason = lru_cache(maxsize=4096)(self._reason)

    def refusal(self, message: str) -> str:
        """Say what is wrong with a check."""
        return _said(self._refusals, message)

    def _reason(self, reason: str, error_class: str | None = None) -> str:
        said = _said(self._reasons, reason)
        kind = self._classes.get(error_class or "")
        return f"{kind}: {said}" if kind and said == reason else said


Patterns = list[tuple[re.Pattern[str], str]]


def _said(patterns: Patterns, message: str) -> str:
    for pattern, saying in patterns:
        if found := pattern.fullmatch(message):
            return saying % found.groupdict()
    return message


def _compiled(table: dict[str, str]) -> Patterns:
    return [(re.compile(pattern, re.DOTALL), saying) for pattern, saying in table.items()]


def _refusals(words: NullTranslations) -> dict[str, str]:
    _ = words.gettext
    return {
        r"(?P<engine>\S+) has no key: set (?P<variable>\w+), or start .*": _(
            "%(engine)s has no key: set %(variable)s, or start with --demo to ask the built-in "
            "simulator."
        ),
        r"samples go from 1 to (?P<most>\d+), not .*": _("Between 1 and %(most)s, please."),
        r"prompts x engines x samples come to (?P<total>[\d,]+); .* at most (?P<most>[\d,]+) .*": _(
            "Prompts × engines × samples come to %(total)s; a check has at most %(most)s captures."
        ),
        r"a brand's name cannot be empty": _("Name the brand."),
        r"a brand's name has at most (?P<most>\d+) characters": _(
            "A brand’s name has at most %(most)s characters."
        ),
        r"the name (?P<name>.+) has a control character in it": _(
            "The name %(name)s has a control character in it."
        ),
        r"the name (?P<name>.+) has no letter or digit": _(
            "The name %(name)s has no letter or digit."
        ),
        r"(?P<given>.+) is not a domain such as example.com": _(
            "%(given)s is not a domain such as example.com."
        ),
        r"(?P<name>.+) has more than (?P<most>\d+) other names or domains": _(
            "%(name)s has more than %(most)s other names or domains."
        ),
        r"a check has at most (?P<most>\d+) competitors": _(
            "A check has at most %(most)s competitors."
        ),
        r"(?P<name>.+) cannot be its own competitor": _("%(name)s cannot be its own competitor."),
        r"(?P<name>.+) is a name of both (?P<one>.+) and (?P<other>.+)": _(
            "%(name)s is a name of both %(one)s and %(other)s: it would be counted for both."
        ),
        r"a check needs at least one prompt": _("Write at least one prompt."),
        r"(?:prompt \d+: )?a prompt cannot be empty": _("Write at least one prompt."),
        r"(?:prompt (?P<number>\d+): )?a prompt has at most (?P<most>[\d,]+) .* (?P<has>[\d,]+)": _(
            "A prompt has at most %(most)s characters, this one has %(has)s."
        ),
        r"(?:prompt \d+: )?a prompt cannot have control characters in it": _(
            "A prompt cannot have control characters in it."
        ),
        r"(?:prompt \d+: )?(?P<given>.+) is not a language such as .*": _("Choose a language."),
        r"(?:prompt \d+: )?(?P<given>.+) is not a country such as .*": _("Choose a country."),
        r"a check needs at least one engine": _("Choose at least one engine."),
        r"there is no engine (?P<name>.+); there are (?P<known>.+)": _(
            "There is no engine %(name)s; there are %(known)s."
        ),
    }


def _reasons(words: NullTranslations) -> dict[str, str]:
    _ = words.gettext
    return {
        r"no running worker serves this engine": _("no running worker serves this engine"),
        r"this engine is paused: (?P<why>.+)": _("this engine is paused: %(why)s"),
        r"no process here asks (?P<engine>.+) \((?P<model>.+)\) by (?P<surface>\S+)": _(
            "no process here asks %(engine)s (%(model)s)"
        ),
        r"the process that worked on it is gone": _(
            "the process that worked on it is gone; another goes on"
        ),
        r"each process that worked on it died\b.*|the processes that worked on it died": _(
            "the processes that worked on it died"
        ),
        r"its time was over before its turn came": _("its time was over before its turn came"),
        r"cancelled": _("cancelled"),
        r"its check was deleted": _("its check was deleted"),
        r"its process was shut down": _("its process was shut down; another goes on"),
        r"its lane closed before the call went out": _(
            "the engine asked us to slow down before the call went out"
        ),
        r"its handler gave up without a word": _("it was given up without a word"),
        r"given up before its end": _("it was given up before its end"),
        r"superseded: another call had answered by then": _("another call had answered by then"),
        r"the process ended while the call was out: it may .*": _(
            "the process ended while the call was out"
        ),
        r"the engine answered without a word": _("the engine answered without a word"),
        r"the database was away": _("the database was away"),
        r"no end within (?P<deadline>.+)": _("no answer came within %(deadline)s"),
        r"unexpected (?P<error>\w+); the log has the details": _(
            "unexpected %(error)s; the log has the details"
        ),
        r"HTTP 429\b.*": _("the engine asks us to slow down (HTTP 429)"),
        r"HTTP (?P<status>5\d\d)\b.*": _("the engine has trouble (HTTP %(status)s)"),
        r"the engine failed\b.*": _("the engine says that it failed"),
        r"the engine says that it was cancelled": _("the engine says that it was cancelled"),
        r"sent, but no reply came: (?P<error>.+)": _("sent, but no reply came (%(error)s)"),
        r"the reply broke off: (?P<error>.+)": _("the reply broke off (%(error)s)"),
        r"(?P<asked>.+) was asked, (?P<model>.+) answered": _(
            "%(asked)s was asked, %(model)s answered"
        ),
        r"the reply is no JSON object": _("the reply cannot be read"),
        r"length|max_output_tokens": _("the answer was cut off at its greatest length"),
        r"content_filter": _("a filter of the engine cut the answer off"),
    }


def _classes(words: NullTranslations) -> dict[str, str]:
    """What an error is, by the class under which it is kept."""
    _ = words.gettext
    return {
        "not_sent": _("Nothing reached the engine"),
        "busy": _("The engine was busy"),
        "outcome_unknown": _("What became of the call is not known"),
        "account": _("The engine refuses our account"),
        "faulty": _("The engine failed"),
        "gone": _("The engine no longer knows the call"),
        "rejected": _("The engine rejected the request"),
        "malformed": _("The reply cannot be read"),
        "wrong_model": _("Another model answered"),
        "unexpected": _("Unexpected"),
    }
