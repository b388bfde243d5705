"""Who may come in: anybody on this machine, or whoever knows the access token."""

import asyncio
import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from quoth.accounts.hosts import Host
from quoth.settings.listen import Listen

SESSION_COOKIE = "quoth_session"
SESSION_LASTS = timedelta(days=30)

# A wrong token costs a wait, longer with each that came before it in the last minute.
FIRST_WAIT = timedelta(seconds=0.25)
LONGEST_WAIT = timedelta(seconds=4)
FORGOTTEN_AFTER = timedelta(minutes=1)


class UnsafeListen(Exception):
    """We would be reachable from other machines without any sign-in."""


def require_safe(listen: Listen, token: str | None) -> None:
    """Raise `UnsafeListen` when `listen` is open to other machines and there is no token."""
    if not listen.is_loopback and not token:
        raise UnsafeListen(
            f"{listen} can be reached from other machines: set QUOTH_ACCESS_TOKEN, "
            "or listen on 127.0.0.1."
        )


@dataclass(frozen=True, slots=True)
class AccessRules:
    """`token` None: no sign-in. `hosts`: names by which we may be called beside loopback ones.

    A session is the time at which it ends and a seal over it, made with a key that comes from the
    token: nothing is stored, every process knows every session, and a new token ends them all.
    """

    token: str | None = field(repr=False)
    hosts: tuple[str, ...] = ()
    loopback: bool = True
    _failures: list[float] = field(default_factory=list, repr=False, compare=False)

    @property
    def sign_in_needed(self) -> bool:
        """Whether there is a token to know."""
        return self.token is not None

    def token_matches(self, candidate: str) -> bool:
        """Compare in constant time; nothing matches where there is no token."""
        if self.token is None:
            return False
        # Digests are of equal length, so that not even the token's length is told.
        return hmac.compare_digest(_digest(candidate), _digest(self.token))

    def session_cookie(self, now: datetime) -> str:
        """Return the value of a session cookie that is good for `SESSION_LASTS`."""
        ends = f"{int((now + SESSION_LASTS).timestamp())}.{secrets.token_urlsafe(9)}"
        return f"{ends}.{self._seal(ends)}"

    def session_valid(self, cookie: str, now: datetime) -> bool:
        """Whether we gave the cookie, and its time is not over."""
        said, _, seal = cookie.rpartition(".")
        if self.token is None or not hmac.compare_digest(
            seal.encode("utf-8", "replace"), self._seal(said).encode()
        ):
            return False
        ends = said.partition(".")[0]
        return ends.isdecimal() and int(ends) > now.timestamp()

    async def wrong_token(self) -> None:
        """Call after each wrong token, before answering: it waits, so that guessing is slow."""
        now = asyncio.get_running_loop().time()
        oldest = now - FORGOTTEN_AFTER.total_seconds()
        self._failures[:] = [at for at in self._failures if at > oldest][-100:]
        wait = FIRST_WAIT.total_seconds() * 2 ** min(len(self._failures), 8)
        self._failures.append(now)
        await asyncio.sleep(min(wait, LONGEST_WAIT.total_seconds()))

    def allows_host(self, host: Host, port: int | None) -> bool:
        """Whether a request for `host` that came in at our `port` is meant for us.

        A page of another site can point its own name at 127.0.0.1; the Host header then tells.
        A configured name without a port stands for any port: a proxy has its own.
        """
        for name in self.hosts:
            allowed = Host.parse(name)
            if allowed and allowed.name == host.name and allowed.port in (None, host.port):
                return True
        if not self.loopback and not self.hosts:
            # The token keeps strangers out, and a session is tied to the name it was given under.
            return True
        return host.is_loopback and (port is None or (host.port or 80) == port)

    def _seal(self, said: str) -> str:
        key = _digest(f"quoth session {self.token}")
        seal = hmac.digest(key, said.encode("utf-8", "replace"), "sha256")
        return base64.urlsafe_b64encode(seal).decode().rstrip("=")


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
