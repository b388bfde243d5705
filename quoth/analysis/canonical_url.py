"""One address for one page, however it was linked to."""

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from urllib.parse import SplitResult, quote, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?")
_TRACKING = re.compile(r"(?i)utm_\w*|srsltid")
# Percent signs stay: what is encoded is encoded already.
_SAFE = "!#$%&'()*+,/:;=?@[]~"


@dataclass(frozen=True, slots=True)
class CanonicalUrl:
    """The address, and its site: the host without `www.`."""

    url: str
    domain: str


def canonical_url(url: str) -> CanonicalUrl | None:
    """None for what is no http(s) address.

    Scheme and host in lower case, the host in ASCII; no name and password, no default port, no
    fragment, none of the parameters by which the engines mark their links. All else stays.
    """
    try:
        parts = urlsplit(url.strip())
        host = _ascii_host(parts.hostname or "")
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or host is None:
        return None
    site = host if port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    path = quote(parts.path, safe=_SAFE) or "/"
    query = _query_of(parts)
    return CanonicalUrl(f"{parts.scheme}://{site}{path}{query}", host.removeprefix("www."))


def _ascii_host(host: str) -> str | None:
    if ":" in host:
        return f"[{IPv6Address(host).compressed}]"
    ascii_host = host.rstrip(".").encode("idna").decode("ascii").lower()
    return ascii_host if _HOST.fullmatch(ascii_host) else None


def _query_of(parts: SplitResult) -> str:
    kept = [
        parameter
        for parameter in parts.query.split("&")
        if parameter and not _TRACKING.fullmatch(parameter.partition("=")[0])
    ]
    return "?" + quote("&".join(kept), safe=_SAFE) if kept else ""
