"""Where we listen: a host and a port."""

import ipaddress
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Listen:
    """An address to listen on; port 0 leaves the choice to the system. `host` has no brackets."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        """Where a browser on this machine finds it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        return f"http://{_bracketed(host)}:{self.port}/"

    def __str__(self) -> str:
        return f"{_bracketed(self.host)}:{self.port}"


def parse_listen(text: str) -> Listen:
    """`127.0.0.1:8420`, `[::1]:8420`, `localhost:0`, `0.0.0.0:80`."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})", text.strip())
    if not found:
        raise ValueError("must be host:port, such as 127.0.0.1:8420 or [::1]:8420")
    in_brackets, plain, port = found.groups()
    if int(port) > 65535:
        raise ValueError("must have a port from 0 to 65535")
    if in_brackets:
        try:
            return Listen(str(ipaddress.IPv6Address(in_brackets)), int(port))
        except ValueError:
            raise ValueError("must have an IPv6 address between the brackets") from None
    if re.fullmatch(r"[0-9.]+", plain):
        try:
            return Listen(str(ipaddress.IPv4Address(plain)), int(port))
        except ValueError:
            raise ValueError("must have an IPv4 address or a host name before the port") from None
    return Listen(plain.lower(), int(port))


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
