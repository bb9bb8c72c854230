"""Who drives one session: its agent, or a person.

Rule 1: a person and the agent never drive at once. A turn holds off new calls of the agent, and begins when those under
way have ended.
Rule 2: a turn ends with its lease, whatever has become of the person. What it left behind, such as keys that are down,
is cleared up before the agent goes on.
Rule 3: every wait here ends with its caller's deadline, and with the session.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field

import structlog

from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    ControlHeldError,
    DeadlineError,
    HumanControlError,
    LeaseExpiredError,
    NoHumanError,
    PerceptionError,
)
from perception.page_words import quote
from perception.server.control.turn import MAX_HOLDER, Turn, TurnEnd, TurnSummary

log = structlog.get_logger(__name__)

MAX_WAITING = 64
"""Calls of the agent that wait at most; more are refused. Chosen by hand: an agent has one or two."""

KEPT_SUMMARIES = 5
"""Turns that the agent has not been told of yet; of more, the last ones."""

CLEAR_UP_SECONDS = 2.0
"""Limit for clearing up after a turn: a page that hangs must not keep the agent out."""


@dataclass(slots=True, eq=False)
class HumanRequest:
    """An agent that waits for a person.

    Attributes:
        reason: what the person is asked to do.
        tab_id: the tab that it is about.
        expires_s: when the agent stops waiting, seconds since 1970.
        answer: how a person's turn ended, or that they refused.
    """

    reason: str
    tab_id: str
    expires_s: float
    answer: asyncio.Future[TurnSummary] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class SessionControl:
    """The control of one session.

    Args:
        begin: prepares the session for a person; called when the agent's calls have ended.
        clear_up: called when a turn has ended, before the agent goes on.
        refuses: calls of the agent fail while a person has control; otherwise they wait.

    Attributes:
        turn: the person's; None while the agent has control.
        turns: how many there have been, with the one under way.
        taking: who takes control, and waits for the agent's calls; empty for nobody.
        waiting: calls of the agent that wait.
        watchers: how many watch who has control.
        unread: turns that the agent has not been told of.
    """

    def __init__(
        self,
        begin: Callable[[], Awaitable[None]],
        clear_up: Callable[[TurnSummary], Awaitable[None]],
        *,
        refuses: bool = False,
    ) -> None:
        self.turn: Turn | None = None
        self.turns = 0
        self.taking = ""
        self.waiting = 0
        self.watchers = 0
        self.unread: list[TurnSummary] = []
        self._begin = begin
        self._clear_up = clear_up
        self._refuses = refuses
        self._under_way: dict[object, str] = {}
        self._requests: list[HumanRequest] = []
        self._changed = asyncio.Event()
        self._ended: Callable[[], PerceptionError] | None = None
        self._expiry: asyncio.TimerHandle | None = None
        self._clearing: asyncio.Task[None] | None = None

    @property
    def is_held(self) -> bool:
        """Whether a person has control, or what they left behind is being cleared up."""
        return self.turn is not None

    @property
    def request(self) -> HumanRequest | None:
        """What the agent asks a person for, last."""
        return self._requests[-1] if self._requests else None

    @property
    def calls_under_way(self) -> tuple[str, ...]:
        """Rpcs of the agent that are under way."""
        return tuple(self._under_way.values())

    def holds(self, lease_id: str) -> bool:
        """Whether this is the lease of who has control now."""
        turn = self.turn
        return bool(lease_id) and turn is not None and turn.summary is None and turn.is_proved_by(lease_id)

    def require(self, lease_id: str) -> Turn:
        """The turn of a lease. Raises LeaseExpiredError."""
        if not self.holds(lease_id) or self.turn is None:
            raise LeaseExpiredError("this lease has ended, or is not of this session: take control again")
        return self.turn

    @asynccontextmanager
    async def agents_call(self, rpc: str, deadline: Deadline) -> AsyncIterator[None]:
        """A call of the agent: waits until no person has control, and counts as under way inside.

        Raises:
            HumanControlError: a person has control, and the session does not wait, or the deadline passed meanwhile.
            PerceptionError: the session has ended.
        """
        if self.is_held or self.taking:
            await self._wait_for_agents_turn(rpc, deadline)
        key = object()
        self._under_way[key] = rpc
        try:
            yield
        finally:
            del self._under_way[key]
            if self.taking:
                self._notify()

    async def wait_for_agents_turn(self) -> None:
        """Returns when no person has control, also where calls are refused meanwhile. Raises where the session has
        ended."""
        while self.is_held or self.taking:
            await self.wait_for_change()

    @contextmanager
    def persons_call(self, lease_id: str) -> Iterator[None]:
        """A call of the person who has control. Raises LeaseExpiredError."""
        self.require(lease_id).acts += 1
        yield

    async def take(self, holder: str, lease_s: float, deadline: Deadline) -> Turn:
        """Gives control to a person, when the agent's calls have ended.

        Raises:
            ControlHeldError: another person has it, or takes it.
            DeadlineError: the agent's calls did not end in time; names them.
            PerceptionError: the session has ended.
        """
        self._check_free()
        self.taking = holder
        self._notify()
        try:
            await self._wait_for_calls(deadline)
            turn = self.turn = Turn(holder, lease_s)
            self.turns += 1
            try:
                await self._begin()
            except BaseException:
                self.turn = None
                raise
        finally:
            self.taking = ""
            self._notify()
        turn.renew(lease_s)
        self._expire_in(turn)
        log.info("a person has control", lease_s=lease_s)
        return turn

    def renew(self, lease_id: str, lease_s: float) -> Turn:
        """Raises LeaseExpiredError."""
        turn = self.require(lease_id)
        turn.renew(lease_s)
        self._expire_in(turn)
        self._notify()
        return turn

    def expire(self, turn: Turn) -> None:
        """Ends a turn before its time, as if its lease had ended."""
        if turn is self.turn:
            self._end(turn, TurnEnd.EXPIRED)

    async def release(self, lease_id: str, how: TurnEnd, note: str) -> None:
        """Ends a turn, and returns when the agent may go on. Raises LeaseExpiredError."""
        await asyncio.shield(self._end(self.require(lease_id), how, note))

    def refuse(self, holder: str, note: str) -> None:
        """Refuses what the agent asks a person for.

        Raises:
            BadInputError: it asks for nothing, or a person has control.
        """
        if self.is_held or self.taking:
            raise BadInputError(
                "a person has control: only their lease ends that, as DONE or CANCELLED", field="outcome"
            )
        if not self._requests:
            raise BadInputError("no agent asks for a person in this session: there is nothing to refuse")
        self._answer(TurnSummary(holder, TurnEnd.REFUSED, note=note))
        self._notify()

    async def ask(self, reason: str, tab_id: str, deadline: Deadline) -> TurnSummary:
        """Asks for a person. Returns when one gives control back, or refuses.

        Raises:
            NoHumanError: the deadline passed before.
            PerceptionError: the session has ended.
        """
        self.check_open()
        request = HumanRequest(reason, tab_id, time.time() + deadline.remaining())
        self._requests.append(request)
        self._notify()
        try:
            async with asyncio.timeout(deadline.remaining()):
                return await request.answer
        except TimeoutError as exc:
            raise self._nobody() from exc
        finally:
            with suppress(ValueError):
                self._requests.remove(request)
            self._notify()

    async def wait_for_change(self) -> None:
        """Returns at the next change of what `SessionControl` says. Raises where the session has ended."""
        self.check_open()
        await self._changed.wait()
        self.check_open()

    def take_unread(self) -> tuple[TurnSummary, ...]:
        """What the agent has not been told of yet; it is now."""
        unread, self.unread = tuple(self.unread), []
        return unread

    def close(self, make_error: Callable[[], PerceptionError]) -> None:
        """The session has ended: so does every turn and every wait, with such an error."""
        self._ended = make_error
        if self._expiry is not None:
            self._expiry.cancel()
        if self.turn is not None:
            self._end(self.turn, TurnEnd.CANCELLED)
        for request in self._requests:
            if not request.answer.done():
                request.answer.set_exception(make_error())
        self._notify()

    def check_open(self) -> None:
        """Raises the session's end, if it has ended."""
        if self._ended is not None:
            raise self._ended()

    def _check_free(self) -> None:
        self.check_open()
        if self.turn is None and not self.taking:
            return
        holder = self.turn.holder if self.turn is not None else self.taking
        rest = f" for another {self.turn.remaining_s:.0f} s unless they renew it" if self.turn is not None else ""
        raise ControlHeldError(
            f"{quote(holder, MAX_HOLDER)} has control{rest}: wait until they give it back (WatchControl says when)",
            holder=holder,
        )

    async def _wait_for_agents_turn(self, rpc: str, deadline: Deadline) -> None:
        if self._refuses or self.waiting >= MAX_WAITING:
            raise self._held_off(rpc, "" if self._refuses else f", and {self.waiting} calls wait already")
        self.waiting += 1
        self._notify()
        try:
            async with deadline.phase("waiting for a person to give back control"):
                await self.wait_for_agents_turn()
        except DeadlineError as exc:
            raise self._held_off(rpc, ", and did not give it back within the deadline") from exc
        finally:
            self.waiting -= 1
            self._notify()

    def _held_off(self, rpc: str, why: str) -> HumanControlError:
        holder = self.turn.holder if self.turn is not None else self.taking
        return HumanControlError(
            f"a person ({quote(holder, MAX_HOLDER)}) has control of this session{why}: nothing of {rpc} was "
            "done; try again when they have given it back",
            holder=holder,
        )

    async def _wait_for_calls(self, deadline: Deadline) -> None:
        try:
            async with deadline.phase("waiting for the agent's calls"):
                while self._under_way:
                    await self.wait_for_change()
        except DeadlineError as exc:
            raise DeadlineError(
                f"the agent's calls have not ended: {', '.join(sorted(set(self.calls_under_way)))}; nothing was "
                "changed: allow more time",
                phase=exc.phase,
            ) from exc

    def _expire_in(self, turn: Turn) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
        loop = asyncio.get_running_loop()
        self._expiry = loop.call_later(turn.remaining_s, lambda: self._end(turn, TurnEnd.EXPIRED))

    def _end(self, turn: Turn, how: TurnEnd, note: str = "") -> asyncio.Task[None]:
        """Ends a turn at once. The task clears up after it."""
        turn.end(how, note)
        if self._clearing is None:
            self._clearing = asyncio.create_task(self._end_turn(turn), name="end-turn")
        return self._clearing

    async def _end_turn(self, turn: Turn) -> None:
        summary = turn.end(TurnEnd.EXPIRED)  # as it ended
        try:
            async with asyncio.timeout(CLEAR_UP_SECONDS):
                await self._clear_up(summary)
        except (TimeoutError, PerceptionError) as exc:
            log.warning("a turn was not cleared up", kind=type(exc).__name__)
        finally:
            self.turn = self._clearing = None
            self.unread = [*self.unread, summary][-KEPT_SUMMARIES:]
            self._answer(summary)
            self._notify()
        log.info("the agent has control again", end=summary.end.value, seconds=round(summary.seconds, 1))

    def _answer(self, summary: TurnSummary) -> None:
        for request in self._requests:
            if not request.answer.done():
                request.answer.set_result(summary)

    def _nobody(self) -> NoHumanError:
        if self.turn is not None:
            return NoHumanError(
                f"a person ({quote(self.turn.holder, MAX_HOLDER)}) has had control for "
                f"{self.turn.seconds:.0f} s, and did not give it back within the deadline: ask again to wait for them"
            )
        watched = (
            f"{self.watchers} watch this session, but nobody" if self.watchers else "nobody watches this session, and"
        )
        took = "took control" if self.watchers else "nobody took control"
        return NoHumanError(
            f"{watched} {took} within the deadline: have a person open the session's viewer, and ask again with more "
            "time"
        )

    def _notify(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
