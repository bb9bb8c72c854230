"""Who is logged in to a viewer.

Rule 1: a browser holds a random cookie and nothing else. Tokens stay in this process; of cookies and link codes only
hashes are kept.
Rule 2: a code of a link works once, and for a few minutes.
Rule 3: all of it ends with the process.
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
"""A login that is not used for this long ends: a forgotten browser is no way in for ever."""

CODE_SECONDS = 600.0
"""Time to get from a terminal to a browser, or to another device."""

MAX_LOGINS = 256
MAX_CODES = 64


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
        may: what the token may do: `view`, `control` or `all`; empty until it is known.
    """

    token: str = field(repr=False)
    ends_s: float
    used_s: float
    closers: set[Callable[[], None]] = field(default_factory=set)
    leases: dict[str, str] = field(default_factory=dict, repr=False)
    listeners: set[Callable[[], None]] = field(default_factory=set)
    may: str = ""

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


class Logins:
    """The logins of one viewer. `clock`: monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._by_cookie: OrderedDict[bytes, Login] = OrderedDict()
        self._codes: OrderedDict[bytes, tuple[str, float]] = OrderedDict()

    def begin(self, token: str) -> str:
        """Logs a browser in. Returns the value of its cookie."""
        now = self._clock()
        self._end_old(now)
        cookie = secrets.token_urlsafe(32)
        self._by_cookie[_digest(cookie)] = Login(token, now + LOGIN_SECONDS, now)
        while len(self._by_cookie) > MAX_LOGINS:
            self._end(next(iter(self._by_cookie)))
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

    def end(self, login: Login) -> None:
        """Logs a browser out, and closes its connections."""
        for key in [key for key, each in self._by_cookie.items() if each is login]:
            self._end(key)

    def end_all(self) -> None:
        """Logs everybody out."""
        for key in list(self._by_cookie):
            self._end(key)

    def make_code(self, token: str) -> str:
        """A code that logs one browser in with this token, once."""
        code = secrets.token_urlsafe(24)
        self._codes[_digest(code)] = (token, self._clock() + CODE_SECONDS)
        if len(self._codes) > MAX_CODES:
            self._codes.popitem(last=False)
        return code

    def use_code(self, code: str) -> str | None:
        """The token that a code is for; None for one that is unknown, used or too old. It works no more after this."""
        token, ends_s = self._codes.pop(_digest(code), ("", 0.0))
        return token if ends_s > self._clock() else None

    def _end_old(self, now: float) -> None:
        for key in [key for key, each in self._by_cookie.items() if _is_over(each, now)]:
            self._end(key)

    def _end(self, key: bytes) -> None:
        login = self._by_cookie.pop(key)
        for close in list(login.closers):
            close()


def _is_over(login: Login, now: float) -> bool:
    """Whether a login has ended. One with open connections is in use."""
    return now >= login.ends_s or (not login.closers and now >= login.used_s + IDLE_SECONDS)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
