"""A person's turn: from the moment that they have control to its end."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from perception.deadline import loop_time
from perception.page_words import quote

LEASE_SECONDS, MAX_LEASE_SECONDS = 60.0, 600.0
"""How long a lease lasts where nothing else is asked for, and at most, without being renewed."""

MAX_HOLDER = 100
MAX_NOTE = 500
"""Characters of a person's name and of their note: a model reads both."""


class TurnEnd(Enum):
    """How a turn ended."""

    DONE = "done"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REFUSED = "refused"
    """There was none: a request was refused."""


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """A turn that is over, or the refusal of one.

    Attributes:
        holder: who had control; empty for a refusal by somebody unnamed.
        end: how it ended.
        seconds: how long it took.
        note: what the person says; may be empty.
        acts: events and calls of the person.
    """

    holder: str
    end: TurnEnd
    seconds: float = 0.0
    note: str = ""
    acts: int = 0

    @property
    def text(self) -> str:
        """One sentence or two for the agent."""
        who = f"a person ({quote(self.holder, MAX_HOLDER)})" if self.holder else "a person"
        says = f"; they say: {quote(self.note, MAX_NOTE)}" if self.note else ""
        if self.end is TurnEnd.REFUSED:
            return f"{who} refused to take control{says}"
        did = "used the page: it may have changed" if self.acts else "did nothing"
        ended = {TurnEnd.CANCELLED: ", and gave it back unfinished", TurnEnd.EXPIRED: ", until the lease ended"}
        return f"{who} had control for {self.seconds:.0f} s{ended.get(self.end, '')}, and {did}{says}"


@dataclass(slots=True, eq=False)
class Turn:
    """A turn that is under way.

    Attributes:
        holder: who has control.
        lease_s: how long the lease lasts from its last renewal.
        clock: monotonic, s.
        expires_s: when the lease ends, seconds since 1970, for people.
        lease_id: the secret that proves who it is.
        acts: events and calls of the person so far.
        over: set when the turn has ended; what it left behind is cleared up afterwards.
        stop_watch: stops the watch of the token that took or renewed the lease last.
        summary: of a turn that is over.
    """

    holder: str
    lease_s: float
    clock: Callable[[], float] = loop_time
    lease_id: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    acts: int = 0
    over: asyncio.Event = field(default_factory=asyncio.Event)
    stop_watch: Callable[[], None] = lambda: None
    summary: TurnSummary | None = None
    expires_s: float = field(init=False)
    _began_s: float = field(init=False)
    _ends_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._began_s = self.clock()
        self.renew(self.lease_s)

    @property
    def remaining_s(self) -> float:
        """Until the lease ends, s; never below 0."""
        return max(0.0, self._ends_s - self.clock())

    @property
    def seconds(self) -> float:
        """Since it began."""
        return self.clock() - self._began_s

    def renew(self, lease_s: float) -> None:
        """Has the lease last that long from now on."""
        self.lease_s, self._ends_s, self.expires_s = lease_s, self.clock() + lease_s, time.time() + lease_s

    def is_proved_by(self, lease_id: str) -> bool:
        """Whether this is its lease. Takes the same time for every wrong one."""
        return hmac.compare_digest(lease_id.encode(), self.lease_id.encode())

    def end(self, how: TurnEnd, note: str = "") -> TurnSummary:
        """Ends it. A turn that is over stays as it ended."""
        if self.summary is None:
            self.summary = TurnSummary(self.holder, how, self.seconds, note, self.acts)
            self.over.set()
            self.stop_watch()
        return self.summary
