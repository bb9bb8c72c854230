"""Who is logged in to a viewer.

Rule 1: a browser holds a random cookie and nothing else. Tokens stay in this process; of cookies and link codes only
hashes are kept.
Rule 2: a code of a link works once, for a few minutes, and no longer than the login that it was made in.
Rule 3: limits are for each token, so that nobody's logins or links end another person's.
Rule 4: all of it ends with the process.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

LOGIN_SECONDS = 12 * 3600.0
"""As long as a session of the service may last: who watches one to its end logs in once."""

IDLE_SECONDS = 2 * 3600.0
"""A login that is not used for this long ends: a forgotten browser is not a way in for ever."""

CODE_SECONDS = 600.0
"""Time to get from a terminal to a browser, or to another device."""

MAX_LOGINS = 256
MAX_CODES = 64
"""Most links of one token; of more, the first ones end."""


@dataclass(eq=False, slots=True)
class Login:
    """One browser that is logged in.

    Attributes:
        token: what the service knows the person by; empty where it asks for none.
        ends_s: monotonic time at which it ends in any case.
        used_s: when it was used last.
        closers: end its open connections, when it ends.
        leases: of the sessions that the person has control of, by session. They are secrets, and stay here.
        listeners: are called when `leases` changes.
        name: tells it from other logins; no secret.
        why: why it ended, where that is not its person's doing or its time.
    """

    token: str = field(repr=False)
    ends_s: float
    used_s: float
    closers: set[Callable[[], None]] = field(default_factory=set)
    leases: dict[str, str] = field(default_factory=dict, repr=False)
    listeners: set[Callable[[], None]] = field(default_factory=set)
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    why: str = ""

    def set_lease(self, session_id: str, lease_id: str) -> None:
        """Keeps a lease, in place of an older one."""
        self.leases[session_id] = lease_id
        self._tell()

    def drop_lease(self, session_id: str, lease_id: str) -> None:
        """Forgets a lease that has ended; one that was taken since then stays."""
        if self.leases.get(session_id) == lease_id:
            del self.leases[session_id]
            self._tell()

    def _tell(self) -> None:
        for listener in list(self.listeners):
            listener()


@dataclass(frozen=True, slots=True)
class _Code:
    """What a code logs in as, until when, and the login that it was made in; None for a link of the terminal."""

    token: str = field(repr=False)
    ends_s: float
    login: Login | None


class Logins:
    """The logins of one viewer. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._by_cookie: OrderedDict[bytes, Login] = OrderedDict()
        self._codes: OrderedDict[bytes, _Code] = OrderedDict()

    def begin(self, token: str) -> str:
        """Logs a browser in. Returns the value of its cookie."""
        now = self._clock()
        self._end_old(now)
        cookie = secrets.token_urlsafe(32)
        self._by_cookie[_digest(cookie)] = Login(token, now + LOGIN_SECONDS, now)
        of_token = [key for key, each in self._by_cookie.items() if each.token == token]
        for key in of_token[:-MAX_LOGINS]:
            self._end(key)
        return cookie

    def find(self, cookie: str) -> Login | None:
        """The login of a cookie; None for one that is unknown or has ended."""
        now = self._clock()
        key = _digest(cookie)
        login = self._by_cookie.get(key)
        if login is None:
            return None
        if _is_over(login, now):
            self._end(key)
            return None
        login.used_s = now
        return login

    def end(self, login: Login, why: str = "") -> None:
        """Logs a browser out, closes its connections, and ends the links that were made in it."""
        login.why = why
        for key in [key for key, each in self._by_cookie.items() if each is login]:
            self._end(key)

    def end_all(self) -> None:
        """Logs everybody out."""
        for key in list(self._by_cookie):
            self._end(key)

    def connections(self, login: Login) -> int:
        """How many connections the person of a login has open, in all their browsers; of a login without a token, its
        own."""
        theirs = [each for each in self._by_cookie.values() if each.token == login.token] if login.token else [login]
        return sum(len(each.closers) for each in theirs)

    def make_code(self, token: str, login: Login | None = None) -> str:
        """A code that logs one browser in with this token, once; at most for as long as a login lasts."""
        now = self._clock()
        for key in [key for key, each in self._codes.items() if now >= each.ends_s]:
            del self._codes[key]
        code = secrets.token_urlsafe(24)
        self._codes[_digest(code)] = _Code(token, now + CODE_SECONDS, login)
        of_token = [key for key, each in self._codes.items() if each.token == token]
        for key in of_token[:-MAX_CODES]:
            del self._codes[key]
        return code

    def token_of(self, code: str) -> str | None:
        """The token that a code is for; None for one that is unknown, used or too old."""
        self._end_old(self._clock())
        found = self._codes.get(_digest(code))
        return found.token if found is not None and found.ends_s > self._clock() else None

    def use_code(self, code: str) -> str | None:
        """As `token_of`. The code works no more after this."""
        token = self.token_of(code)
        self._codes.pop(_digest(code), None)
        return token

    def _end_old(self, now: float) -> None:
        for key in [key for key, each in self._by_cookie.items() if _is_over(each, now)]:
            self._end(key)

    def _end(self, key: bytes) -> None:
        login = self._by_cookie.pop(key)
        for code in [code for code, each in self._codes.items() if each.login is login]:
            del self._codes[code]
        for close in list(login.closers):
            close()


def _is_over(login: Login, now: float) -> bool:
    """Whether a login has ended. One with open connections is in use."""
    return now >= login.ends_s or (not login.closers and now >= login.used_s + IDLE_SECONDS)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
