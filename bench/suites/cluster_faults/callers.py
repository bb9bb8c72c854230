"""The load: callers with a session each, which look and press, and do what the service's errors tell them to.

Rule 1: every press has an account. One that the service refused must not have been done; one that it acknowledged must
have been done once; one whose outcome nobody knows may have been done once.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from perception.bench.suites.faults.fault_lab import Site
from perception.client import AsyncClient, AsyncPage, RemoteError

PAUSE_SECONDS = 0.1
"""Between a caller's calls, as of an agent; chosen by hand, so that two cores are not full without a fault."""

UNTOUCHED = frozenset({"WORKER_UNREACHABLE", "SHUTTING_DOWN", "QUEUE_FULL", "SESSION_LIMIT", "SESSION_ID_FORGED"})
"""Reasons with which nothing has been done."""

WITH_RETRY_INFO = frozenset({"WORKER_UNREACHABLE", "SHUTTING_DOWN", "QUEUE_FULL", "SESSION_LIMIT"})

ENDED = frozenset({"SESSION_LOST", "UNKNOWN_SESSION", "SESSION_EXPIRED"})
"""Reasons with which the session is gone."""

NO_ANSWER = "no answer (UNAVAILABLE)"
"""The connection to the edge broke, or there is no edge."""

TOLD = frozenset(
    {"OK", "SESSION_LOST", "WORKER_UNREACHABLE", "CALL_BROKEN", "SHUTTING_DOWN", "SESSION_LIMIT", NO_ANSWER}
)
"""What callers may be told of a fault."""


@dataclass(slots=True, eq=False)
class PressedPage:
    """A session with a counting page, and its account."""

    page: AsyncPage
    id: str
    sent: int = 0
    acknowledged: int = 0
    refused: int = 0

    def wrong_count(self, counted: int) -> str:
        """What is wrong with the number of presses that the site has counted; empty if nothing is."""
        if self.acknowledged <= counted <= self.sent - self.refused:
            return ""
        return f"presses: {self.sent} sent, {self.acknowledged} acknowledged, {self.refused} refused, {counted} counted"


@dataclass(slots=True)
class Account:
    """What all callers were told, and what they measured.

    Attributes:
        told: calls by reason.
        looks: start, seconds and caller of each text snapshot.
        pages: those since the round began.
        wrong: answers that may not be.
    """

    told: Counter[str] = field(default_factory=Counter)
    looks: list[tuple[float, float, Caller]] = field(default_factory=list)
    pages: list[PressedPage] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def note(self, error: RemoteError, allowed: frozenset[str]) -> str:
        """Counts an error; returns its reason."""
        reason = reason_of(error)
        self.told[reason] += 1
        if reason not in allowed:
            self.wrong.append(f"{reason}: {str(error)[:200]}")
        if reason in WITH_RETRY_INFO and error.retry_after_s is None:
            self.wrong.append(f"{reason} without RetryInfo: {str(error)[:200]}")
        return reason


@dataclass(slots=True, eq=False)
class Caller:
    """One caller.

    Attributes:
        edges: clients of the edges; it goes on through the next one when an edge does not answer.
        edge: which of them it uses.
        turn: after how many steps it closes its session and opens another one; 0 for never.
        allowed: what it may be told.
        stepping: held during a step: whoever takes it pauses the caller.
        done_at: when its last whole step ended.
    """

    edges: Sequence[AsyncClient]
    site: Site
    account: Account
    edge: int = 0
    turn: int = 0
    allowed: frozenset[str] = TOLD
    held: PressedPage | None = None
    stepping: asyncio.Lock = field(default_factory=asyncio.Lock)
    done_at: float = 0.0
    _steps: int = 0

    @property
    def client(self) -> AsyncClient:
        return self.edges[self.edge]

    async def run(self) -> None:
        """Steps until it is cancelled."""
        while True:
            pause_s = PAUSE_SECONDS
            async with self.stepping:
                try:
                    await self._step()
                    self.done_at = time.monotonic()
                except RemoteError as exc:
                    pause_s = self._heed(exc)
            await asyncio.sleep(pause_s)

    async def close(self) -> None:
        if self.held is not None:
            held, self.held = self.held, None
            await held.page.close()

    async def _step(self) -> None:
        self._steps += 1
        if self.turn and self._steps % self.turn == 0:
            await self.close()
        if self.held is None:
            await self._open()
        await self._look()
        await self._press()

    async def _open(self) -> None:
        made = f"p{secrets.token_hex(4)}"
        page = await self.client.open(f"{self.site.url}/?id={made}")
        self.held = PressedPage(page, made)
        self.account.pages.append(self.held)
        self.account.told["OK"] += 1

    async def _look(self) -> None:
        assert self.held is not None
        start = time.monotonic()
        await self.held.page.snapshot(mode="text")
        self.account.looks.append((start, time.monotonic() - start, self))
        self.account.told["OK"] += 1

    async def _press(self) -> None:
        held = self.held
        assert held is not None
        held.sent += 1
        try:
            await held.page.click("button", skip_diff=True)
        except RemoteError as exc:
            held.refused += reason_of(exc) in UNTOUCHED
            raise
        held.acknowledged += 1
        self.account.told["OK"] += 1

    def _heed(self, error: RemoteError) -> float:
        """Does what an error tells; returns how long to wait."""
        reason = self.account.note(error, self.allowed)
        if reason in ENDED:
            self.held = None
        if reason in (NO_ANSWER, "SHUTTING_DOWN"):
            self.edge = (self.edge + 1) % len(self.edges)
            if self.held is not None:
                self.held.page = AsyncPage(self.client, self.held.page.session_id)
        return min(error.retry_after_s or PAUSE_SECONDS, 1.0)


def reason_of(error: RemoteError) -> str:
    """The service's reason; the code where the error is not its own."""
    if error.reason:
        return error.reason
    return NO_ANSWER if error.code.name == "UNAVAILABLE" else error.code.name


def hit_callers(callers: Sequence[Caller], has: Callable[[str], bool]) -> set[Caller]:
    """Callers whose session is one of these."""
    return {each for each in callers if each.held is not None and has(each.held.page.session_id)}
