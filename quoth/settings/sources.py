"""Where settings come from: flags, then the environment, then the file, then the default."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from quoth.settings.catalogue import CONFIG_VARIABLE
from quoth.settings.places import default_config_file
from quoth.settings.setting import BadSettings, Setting

# What Kubernetes and Docker put into a container beside a service named "quoth".
SERVICE_LINK = re.compile(r"_SERVICE_(HOST|PORT)(_\w+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$")
LARGEST_SECRET_FILE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """The text of a setting; `source` names it in errors, `origin` in `quoth config`."""

    text: str
    source: str
    origin: str


@dataclass(frozen=True, slots=True)
class Sources:
    """The texts of all settings, by the names each source has for them."""

    flags: Mapping[str, str]
    environment: Mapping[str, str]
    in_file: Mapping[str, str]
    file: Path | None

    def find(self, setting: Setting[object]) -> Found | None:
        """Return what the first source that names the setting says, or its default, or None."""
        if setting.name in self.flags:
            flag = "--" + setting.name.replace("_", "-")
            return Found(self.flags[setting.name], flag, f"flag {flag}")
        return (
            _in(self.environment, setting, setting.variable, "_FILE", "environment")
            or _in(self.in_file, setting, setting.name, "_file", f"file {self.file}")
            or self._default(setting)
        )

    def _default(self, setting: Setting[object]) -> Found | None:
        if setting.default is None:
            return None
        return Found(setting.default, setting.name, "default")


def open_sources(
    known: Iterable[Setting[object]],
    *,
    flags: Mapping[str, str],
    environment: Mapping[str, str],
    file: Path | None,
) -> Sources:
    """Gather the sources and refuse what none of the `known` settings is called."""
    known = tuple(known)
    # An empty variable is an unset one: that is how compose files and units pass "nothing".
    ours = {name: text for name, text in environment.items() if name.startswith("QUOTH_") and text}
    variables = [CONFIG_VARIABLE, *(name for setting in known for name in _variables(setting))]
    _refuse_unknown(
        [name for name in ours if not _is_link(name, ours[name])], variables, "environment variable"
    )
    if file is None and CONFIG_VARIABLE in ours:
        file = Path(ours[CONFIG_VARIABLE]).expanduser()
    path, in_file = _read_file(file)
    names = [name for setting in known for name in _keys(setting)]
    _refuse_unknown(list(in_file), names, f"setting in {path}:")
    return Sources(flags, ours, in_file, path)


def _variables(setting: Setting[object]) -> tuple[str, ...]:
    return (
        (setting.variable, f"{setting.variable}_FILE") if setting.or_file else (setting.variable,)
    )


def _keys(setting: Setting[object]) -> tuple[str, ...]:
    return (setting.name, f"{setting.name}_file") if setting.or_file else (setting.name,)


def _refuse_unknown(names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.0)[0]
            raise BadSettings(f"There is no {what} {name}; the nearest is {near}.")


def _is_link(name: str, text: str) -> bool:
    """Tell what a container platform set from what a person misspelt."""
    return bool(SERVICE_LINK.search(name)) and (
        "_SERVICE_" in name or re.search(r"_PORT_\d+_", name) is not None or "://" in text
    )


def _read_file(asked_for: Path | None) -> tuple[Path | None, dict[str, str]]:
    path = asked_for or default_config_file()
    try:
        tree = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if asked_for is not None:
            raise BadSettings(f"There is no settings file {path}.") from None
        return None, {}
    except OSError as error:
        raise BadSettings(f"The settings file {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"The settings file {path} is not TOML: {_safe(error)}.") from None
    return path, dict(_flatten(tree, path))


def _safe(error: ValueError) -> str:
    """Where the fault is, without the words around it: they may be a secret."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    place = re.search(r"\(at [^()]*\)$", str(error))
    return f"something is wrong {place[0]}" if place else "something is wrong"


def _flatten(tree: Mapping[str, object], path: Path, table: str = "") -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        name = f"{table}{key}"
        match value:
            case dict():
                yield from _flatten(value, path, f"{name}.")
            case str():
                yield name, value
            case int() | float() if not isinstance(value, bool):
                yield name, str(value)
            case list() if all(isinstance(part, str) for part in value):
                yield name, ",".join(value)
            case _:
                raise BadSettings(f"{name} in {path} must be text or a number.")


def _in(
    texts: Mapping[str, str], setting: Setting[object], name: str, suffix: str, origin: str
) -> Found | None:
    held_by = name + suffix
    if not setting.or_file or held_by not in texts:
        return Found(texts[name], name, origin) if name in texts else None
    if name in texts:
        raise BadSettings(f"{name} and {held_by} are both set: keep one.")
    try:
        with Path(texts[held_by]).expanduser().open("rb") as file:
            text = file.read(LARGEST_SECRET_FILE).decode()
    except OSError as error:
        raise BadSettings(
            f"{held_by} names {texts[held_by]}, which cannot be read: {error.strerror}."
        ) from None
    except UnicodeDecodeError:
        raise BadSettings(f"{held_by} names {texts[held_by]}, which is not text.") from None
    return Found(text.strip(), held_by, f"{origin}, {texts[held_by]}")
