"""The only place that speaks HTTP to engines; every failure becomes a `ProviderError`."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ssl import PROTOCOL_TLS_CLIENT, SSLContext
from typing import Any

from httpx2 import (
    URL,
    AsyncBaseTransport,
    AsyncClient,
    AsyncHTTPTransport,
    InvalidURL,
    Limits,
    Proxy,
    Timeout,
    create_ssl_context,
)

from quoth import __version__
from quoth.providers.contract import (
    SIMULATOR,
    Accepted,
    Busy,
    Gone,
    Malformed,
    NotSent,
    ProviderError,
    Raw,
    Rejected,
    Unknown,
    WrongModel,
)
from quoth.providers.exchange import Exchange, exchange
from quoth.providers.json_body import load_object, obj
from quoth.providers.refusal import failure, refusal

CONNECT = timedelta(seconds=10)
FREE_CALL = timedelta(seconds=30)

# Polls are short: a thousand captures in flight share these. Each idle one is probed at each poll.
FREE_LIMITS = Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=30)

SIMULATED = "x-quoth-simulator"

IdOf = Callable[[bytes], str | None]


@dataclass(frozen=True, slots=True)
class Way:
    """Where an engine is reached, and as whom. The key and the proxy's password stay unseen."""

    base_url: str
    api_key: str = field(repr=False)
    proxy: str | None = field(default=None, repr=False)
    ca_bundle: str | None = None


class Wire:
    """One engine's HTTP. Never follows a redirect and never sends anything twice by itself.

    A paid call has a connection of its own: on a used one, whether the call reached the engine
    would depend on who closed the connection first. Polls share a pool.
    """

    def __init__(
        self,
        free: AsyncClient,
        connect: Callable[[], AsyncBaseTransport],
        *,
        surface: str,
        create: timedelta,
        secret: str,
    ) -> None:
        self._free = free
        self._connect = connect
        self._surface = surface
        self._create = create
        self._secret = secret.encode()

    async def buy(self, path: str, request: Mapping[str, Any], id_of: IdOf) -> Accepted:
        """Make the paid call. It ends with the engine's id, or with what is known instead.

        `id_of` finds the id in a reply, also in one that broke off.
        """
        post = self._free.build_request(
            "POST", path, json=request, headers={"accept-encoding": "identity"}
        )
        async with self._connect() as connection:
            came = await exchange(connection, post, within=self._create)
        if not came.sent:
            raise NotSent(came.broke or "nothing was sent")
        if came.status is None:
            raise Unknown(f"sent, but no reply came: {came.broke}")
        raw = self._keep(came, came.status)
        if not 200 <= raw.status < 300:
            raise refusal(raw)
        ref = id_of(raw.body)
        if ref is None:
            raise _no_id(raw, came.broke)
        return Accepted(ref, raw)

    async def get(self, path: str, *, params: Mapping[str, str] | None = None) -> Raw:
        """Fetch what costs nothing. `NotSent`, `Unknown` and `Busy` only mean: not now."""
        return await self._free_call("GET", path, params)

    async def stop(self, path: str) -> None:
        """Ask for an end of what `path` names; no error if it is over or unknown."""
        with suppress(Gone, Rejected):
            try:
                await self._free_call("POST", path, None)
            except Busy as busy:
                conflict = busy.raw is not None and busy.raw.status == 409
                if not conflict:
                    raise

    async def _free_call(self, method: str, path: str, params: Mapping[str, str] | None) -> Raw:
        request = self._free.build_request(method, path, params=params)
        came = await exchange(self._free, request, within=FREE_CALL)
        if came.status is None:
            raise NotSent(came.broke or "no reply")
        raw = self._keep(came, came.status)
        if raw.status in (404, 410):
            raise Gone(refusal(raw).reason, raw=raw)
        if not 200 <= raw.status < 300:
            raise refusal(raw)
        if came.too_long:
            raise Malformed(f"the reply is {came.broke}", raw=raw)
        if came.broke:
            raise Unknown(f"the reply broke off: {came.broke}", raw=raw)
        return raw

    def _keep(self, came: Exchange, status: int) -> Raw:
        """What came back, checked for who sent it; an error text may repeat the key."""
        raw = Raw(status, came.headers, bytes(came.body).replace(self._secret, b"[key]"))
        simulated = SIMULATED in raw.headers
        if simulated and self._surface != SIMULATOR:
            raise WrongModel(f"a simulator answered where {self._surface} was asked", raw=raw)
        if self._surface == SIMULATOR and not simulated and _answers(raw):
            raise WrongModel("something else than the simulator answered", raw=raw)
        return raw


def _answers(raw: Raw) -> bool:
    """Whether an engine speaks; else it is a network between us, and the simulator plays those."""
    return 200 <= raw.status < 300 and load_object(raw.body) is not None


def _no_id(raw: Raw, broke: str | None) -> ProviderError:
    """A success without an id: refused if it says so, else who knows."""
    error = obj(load_object(raw.body)).get("error")
    if error:
        return failure(error, raw=raw)
    return Unknown(f"HTTP {raw.status} without an id" + (f": {broke}" if broke else ""), raw=raw)


@asynccontextmanager
async def open_wire(way: Way, *, surface: str, create: timedelta) -> AsyncIterator[Wire]:
    """Open what one engine is asked over; closed with the block.

    The environment (`HTTPS_PROXY`, `SSL_CERT_FILE`, `.netrc`) counts for nothing here: which way
    an engine is asked is part of every figure, so only the settings decide it.
    """
    base = _address(way.base_url)
    if base is None:
        raise ValueError(f"not a base URL (http or https with a host): {way.base_url!r}")
    key = way.api_key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(f"the key for {base.host} is empty or has characters that no key has")
    verify = trust(way.ca_bundle) if base.scheme == "https" else _no_trust()
    proxy = _proxy(way)

    def connect() -> AsyncBaseTransport:
        alone = Limits(max_connections=1, max_keepalive_connections=0)
        return AsyncHTTPTransport(verify=verify, proxy=proxy, limits=alone, trust_env=False)

    async with AsyncClient(
        base_url=base,
        headers={"authorization": f"Bearer {key}", "user-agent": f"quoth/{__version__}"},
        # An engine's cookies would tie captures together that must not know each other.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        verify=verify,
        proxy=proxy,
        timeout=Timeout(None, connect=CONNECT.total_seconds()),
        limits=FREE_LIMITS,
        trust_env=False,
    ) as free:
        yield Wire(free, connect, surface=surface, create=create, secret=key)


def _address(text: str) -> URL | None:
    with suppress(InvalidURL, UnicodeError):
        url = URL(text)
        # The resolver's own check, which it makes only when the name is looked up.
        url.host.encode("idna")
        if url.scheme in ("http", "https") and url.host:
            return url
    return None


def _proxy(way: Way) -> Proxy | None:
    if not way.proxy:
        return None
    url = _address(way.proxy)
    if url is None:
        raise ValueError("the proxy must be an http:// or https:// address")
    return Proxy(url, ssl_context=trust(way.ca_bundle) if url.scheme == "https" else None)


@lru_cache(maxsize=8)
def trust(ca_bundle: str | None) -> SSLContext:
    """Return whom TLS trusts: the system's authorities, and those of `ca_bundle` with them.

    Shared, because each one holds a megabyte of certificates.
    """
    context = create_ssl_context(trust_env=False)
    if ca_bundle:
        context.load_verify_locations(cafile=ca_bundle)
    return context


@lru_cache(maxsize=1)
def _no_trust() -> SSLContext:
    """For plain HTTP (the simulator): loading the authorities would only cost time."""
    return SSLContext(PROTOCOL_TLS_CLIENT)
