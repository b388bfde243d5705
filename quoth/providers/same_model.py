"""Whether the model that answered is the one that was asked."""

import re

# These name another model of the family, not a release of the same one.
OTHER_MODELS = re.compile(
    "audio|chat|codex|deep|fast|flash|high|image|large|lite|low|max|medium|micro|mini|nano|oss|"
    "preview|pro|realtime|reasoning|research|search|small|thinking|transcribe|tts|turbo|ultra"
)

_RELEASE = re.compile(r"(?:-(?P<code>[a-z]+))?(?:-\d{4}-?\d{2}-?\d{2})?")
_DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$")


def same_model(asked: str, answered: str) -> bool:
    """Whether `answered` is `asked` or a dated or code-named release of it.

    `gpt-5.6` may answer as `gpt-5.6-sol`, `gpt-5` as `gpt-5-2025-08-07`; `gpt-5-mini` and
    `gpt-5.6` are not `gpt-5`. A vendor before a slash counts only where both name one.
    """
    asked_vendor, asked_name = _split(asked)
    vendor, name = _split(answered)
    if asked_vendor and vendor and asked_vendor != vendor:
        return False
    if not name.startswith(asked_name):
        return False
    release = _RELEASE.fullmatch(name[len(asked_name) :])
    return release is not None and not OTHER_MODELS.fullmatch(release["code"] or "")


def undated(model: str) -> str:
    """Return a model's name without its release date."""
    return _DATE.sub("", model)


def _split(model: str) -> tuple[str, str]:
    vendor, _, name = model.strip().lower().rpartition("/")
    return vendor, name
