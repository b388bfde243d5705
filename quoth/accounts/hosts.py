"""By which names we may be called, so that no other site's name can be pointed at us."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Host:
    """A host as browsers write it: lower case, no brackets; `port` None is the scheme's own."""

    name: str
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Read a Host header; None where it is none."""
        found = re.fullmatch(
            r"(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,253}))(?::(\d{1,5}))?",
            text.strip().lower(),
            re.ASCII,
        )
        if not found:
            return None
        in_brackets, plain, port = found.groups()
        name = _canonical(in_brackets) if in_brackets else plain.removesuffix(".")
        return cls(name, int(port) if port else None) if name else None

    @classmethod
    def of_origin(cls, origin: str) -> Self | None:
        """Read an Origin header; None for `null` and whatever is no web origin."""
        try:
            parts = urlsplit(origin.strip().lower())
        except ValueError:
            return None
        if parts.scheme not in DEFAULT_PORTS or parts.path or parts.query or parts.fragment:
            return None
        return cls.parse(parts.netloc)

    @property
    def is_loopback(self) -> bool:
        """Whether the name can mean only the machine itself."""
        if self.name == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.name).is_loopback
        except ValueError:
            return False

    def same_as(self, other: Self) -> bool:
        """Whether both are one place; a port that a scheme implies counts as none."""
        return self.name == other.name and _explicit(self.port) == _explicit(other.port)


def _canonical(address: str) -> str:
    try:
        return str(ipaddress.IPv6Address(address))
    except ValueError:
        return ""


def _explicit(port: int | None) -> int | None:
    return None if port in DEFAULT_PORTS.values() else port
