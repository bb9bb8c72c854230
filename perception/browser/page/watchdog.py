"""Frees a tab from scripts that do not end: after a deadline, or all the time where a page hangs again and again.

Only the late script is ended. What the page does afterwards has the time of its own call.

A page that cannot be freed is given up: see `recovery`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from math import inf

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page.dialogs import Dialogs
from perception.browser.page.frames import FrameTree
from perception.browser.page.recovery import (
    CALM_SECONDS,
    GUARD_SECONDS,
    HUNG_SECONDS,
    MOST_SLOWDOWN,
    PATIENT_SECONDS,
    SLOWED_SECONDS,
    TERMINATED_SECONDS,
    URGENT_SECONDS,
    Probe,
    ask_whether_free,
    count,
    end_script,
    is_silent,
)
from perception.browser.page.tab_state import TabEvent, TabState
from perception.browser.page.thread_load import CrowdMeter
from perception.deadline import Deadline, loop_time


class ScriptWatchdog:
    """Finds scripts that hang one tab, and ends them."""

    def __init__(
        self,
        session: CdpSession,
        frames: FrameTree,
        state: TabState,
        dialogs: Dialogs,
        give_up: Callable[[CdpSession, Probe], None],
        is_slowed: Callable[[], bool] = lambda: False,
    ) -> None:
        """
        Args:
            session: the tab's own DevTools session.
            give_up: called with the session of a process that cannot be freed, and the probe that waits for it.
            is_slowed: whether the page may be stopped most of the time, for flooding its browser. Its silence counts
                later then.
        """
        self._is_slowed = is_slowed
        self._session = session
        self._frames = frames
        self._state = state
        self._dialogs = dialogs
        self._give_up = give_up
        self._freeing: set[asyncio.Task[None]] = set()
        self._patience_s = 0.0
        self._late_s = 0.0
        self._is_repeating = False
        self._has_ended = False
        self._guard: asyncio.Task[None] | None = None
        self._probes: set[Probe] = set()
        self._own_calls: set[tuple[CdpSession, Probe]] = set()
        dialogs.subscribe(self.answer_probes)

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """Its running tasks, which are cancelled when the tab is detached."""
        return [*self._freeing, *([self._guard] if self._guard else [])]

    @property
    def has_hung(self) -> bool:
        """The current document had a script that had to be ended, or a dialog that held its script up."""
        return self._state.is_hung

    def expect_hang(self) -> None:
        """Treats the current document as one that has hung: it may hang again at any time."""
        self._state.apply(TabEvent.HUNG)

    def take_ended(self) -> bool:
        """Whether a script of the current document's own was ended since this was last asked."""
        has_ended, self._has_ended = self._has_ended, False
        return has_ended

    def forget(self) -> None:
        """Another document is shown."""
        self.stop_guarding()
        self._is_repeating = self._has_ended = False

    def terminate_script(
        self, patience_s: float = PATIENT_SECONDS, *, dismissing: bool = False, is_clients: bool = False
    ) -> None:
        """Frees the page and its frames from a script that does not end, in the background. For after a deadline: only
        the next call waits for it, by `wait_freed`.

        Args:
            patience_s: how long a page may take to answer before its script is ended; the shortest counts.
            dismissing: dismisses the dialogs that the page opens meanwhile.
            is_clients: the script is a client's: it says nothing about the page.
        """
        if self._freeing and patience_s >= self._patience_s:
            return
        if not self._freeing:
            self._late_s = loop_time()
        for patient in self._freeing:
            patient.cancel()
        self._patience_s = patience_s
        for session in self._frames.sessions:
            task = asyncio.create_task(self._free(session, patience_s, dismissing, is_clients), name="terminate_script")
            self._freeing.add(task)
            task.add_done_callback(self._freeing.discard)

    @property
    def is_freeing(self) -> bool:
        """It is not proved yet that the page is free."""
        return bool(self._freeing)

    async def wait_freed(self, deadline: Deadline, *, leaving: bool = False) -> None:
        """Waits until the page is free again or was given up; at most half of the time that is left. After a third of
        it, a script that has had URGENT_SECONDS since the deadline that it missed is ended.

        Args:
            leaving: the page is to be left: its script has no longer than HUNG_SECONDS.
        """
        share = deadline.share(inf)
        if leaving and self._freeing:
            self.terminate_script(HUNG_SECONDS)
        elif self._freeing:
            await self._wait(deadline.part(1 / 3))
            if self._freeing and loop_time() - self._late_s >= URGENT_SECONDS:
                self.terminate_script(GUARD_SECONDS)
        await self._wait(share)

    async def _wait(self, limit: Deadline) -> None:
        while self._freeing and not limit.spent():  # a call of less patience may free it again
            await asyncio.wait(list(self._freeing), timeout=limit.remaining())

    @contextlib.asynccontextmanager
    async def guarding(self) -> AsyncIterator[None]:
        """Inside, ends each script of a page that hangs again and again, by a timer, until it is calm or another
        document commits. Does nothing for other pages, or where another guard runs."""
        if self._guard is not None or not self.has_hung:
            yield
            return
        self._guard = asyncio.create_task(self._keep_free(), name="guard")
        try:
            yield
        finally:
            self.stop_guarding()

    @contextlib.contextmanager
    def working(self, session: CdpSession) -> Iterator[None]:
        """Marks a call of our own to a guarded page, sent right after this is entered: a large page takes seconds to
        answer it, and does not hang."""
        if self._guard is None:
            yield
            return
        call = session, ask_whether_free(session)  # answered when the page begins our call
        self._own_calls.add(call)
        try:
            yield
        finally:
            self._own_calls.discard(call)

    def stop_guarding(self) -> None:
        """Ends the guard, for a script that may take its time. Does nothing where none runs."""
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None

    async def _keep_free(self) -> None:
        while not (self._state.is_crashed or self._state.is_closed):
            if self._is_repeating and not self._freeing:
                await self._free(self._session, GUARD_SECONDS, dismissing=False, sparing=True)
            await asyncio.sleep(GUARD_SECONDS)

    async def _free(
        self,
        session: CdpSession,
        patience_s: float,
        dismissing: bool,
        is_clients: bool = False,
        *,
        sparing: bool = False,
    ) -> None:
        """Ends the script of one process, or gives the process up, such as one that hung before DevTools attached. A
        page with an open dialog waits and does not hang; neither does one that is being left.

        Args:
            sparing: leaves calls of our own alone while the page works on them.
        """
        if self._dialogs.open is not None or self._dialogs.find_elsewhere() is not None:
            return
        is_left = self._state.is_loading and session is self._session
        patience_s = min(patience_s, HUNG_SECONDS) if is_left else patience_s
        probe = self._ask(session)
        with self._dialogs.dismissing() if dismissing else contextlib.nullcontext():
            if not await is_silent(session, probe, patience_s):
                self._is_repeating = self._is_repeating and not await self._is_calm(session, GUARD_SECONDS)
                return
            while sparing and any(known is session and ahead.done() for known, ahead in self._own_calls):
                if not await is_silent(session, probe, GUARD_SECONDS):
                    return
            slowed, whole = Deadline.of(SLOWED_SECONDS), Deadline.of(SLOWED_SECONDS + TERMINATED_SECONDS)
            while self._is_slowed() and not slowed.spent():
                if not await is_silent(session, probe, HUNG_SECONDS):
                    return
            crowd, begun_s = CrowdMeter(), loop_time()
            while _has_time(begun_s, crowd) or (self._is_slowed() and not whole.spent()):  # it may be slowed only now
                end_script(session)  # once for each script: the next one may begin before the probe is answered
                if self._state.is_loading and session is self._session:
                    return
                if not await is_silent(session, probe, GUARD_SECONDS):
                    count("terminate")
                    if not is_clients:
                        self._state.apply(TabEvent.HUNG)
                        self._has_ended = True
                        self._is_repeating = not await self._is_calm(session, URGENT_SECONDS)
                    return
        self._give_up(session, probe)

    async def _is_calm(self, session: CdpSession, patience_s: float) -> bool:
        """Whether the page still answers a moment later, within so many seconds."""
        await asyncio.sleep(CALM_SECONDS)
        return not await is_silent(session, self._ask(session), patience_s)

    def _ask(self, session: CdpSession) -> Probe:
        """A probe that is answered where the page opens a dialog, too."""
        probe = ask_whether_free(session)
        self._probes.add(probe)
        probe.add_done_callback(self._probes.discard)
        return probe

    def answer_probes(self) -> None:
        """A page that opens a dialog, or that one of another tab holds up, does not hang."""
        for probe in list(self._probes):
            if not probe.done():
                probe.set_result({})


def _has_time(begun_s: float, crowd: CrowdMeter) -> bool:
    """Whether a script may still end: on a crowded machine the page gets as little as we do."""
    return loop_time() - begun_s < TERMINATED_SECONDS * min(MOST_SLOWDOWN, crowd.slowdown)
