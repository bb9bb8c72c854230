"""Frees a tab from scripts that do not end: after a deadline, or all the time where a page hangs repeatedly.

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
    GUARD_SECONDS,
    HUNG_SECONDS,
    MOST_SLOWDOWN,
    SLOWED_SECONDS,
    TERMINATED_SECONDS,
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
        self._guard: asyncio.Task[None] | None = None
        self._probes: set[Probe] = set()
        self._own_calls: set[tuple[CdpSession, Probe]] = set()
        dialogs.subscribe(self._answer_probes)

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

    def terminate_script(self, patience_s: float = HUNG_SECONDS, *, dismissing: bool = False) -> None:
        """Frees the page and its frames from a script that does not end, in the background. For after a deadline: only
        the next call waits for it, by `wait_freed`.

        Args:
            patience_s: how long a page may take to answer before its script is ended; the shortest counts.
            dismissing: dismisses the dialogs that the page opens meanwhile.
        """
        if self._freeing and patience_s >= self._patience_s:
            return
        for patient in self._freeing:
            patient.cancel()
        self._patience_s = patience_s
        for session in self._frames.sessions:
            task = asyncio.create_task(self._free(session, patience_s, dismissing), name="terminate_script")
            self._freeing.add(task)
            task.add_done_callback(self._freeing.discard)

    @property
    def is_freeing(self) -> bool:
        """It is not proved yet that the page is free."""
        return bool(self._freeing)

    async def wait_freed(self, deadline: Deadline) -> None:
        """Waits until the page is free again or was given up; at most half of the time that is left."""
        share = deadline.share(inf)
        while self._freeing and not share.spent():  # a call of less patience may free it again
            await asyncio.wait(list(self._freeing), timeout=share.remaining())

    @contextlib.asynccontextmanager
    async def guarding(self) -> AsyncIterator[None]:
        """Inside, ends each script that hangs a page which has hung before, until another document commits: some pages
        hang repeatedly, by a timer. Does nothing for other pages, or where another guard runs."""
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
            if not self._freeing:
                await self._free(self._session, GUARD_SECONDS, dismissing=False, sparing=True)
            await asyncio.sleep(GUARD_SECONDS)

    async def _free(self, session: CdpSession, patience_s: float, dismissing: bool, *, sparing: bool = False) -> None:
        """Ends the script of one process, or gives the process up, such as one that hung before DevTools attached. A
        page with an open dialog waits and does not hang; neither does one that is being left.

        Args:
            sparing: leaves calls of our own alone while the page works on them.
        """
        if self._dialogs.open is not None:
            return
        probe = ask_whether_free(session)
        self._probes.add(probe)
        probe.add_done_callback(self._probes.discard)
        with self._dialogs.dismissing() if dismissing else contextlib.nullcontext():
            if not await is_silent(session, probe, patience_s):
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
                    self._state.apply(TabEvent.HUNG)
                    count("terminate")
                    return
        self._give_up(session, probe)

    def _answer_probes(self) -> None:
        """A page that opens a dialog does not hang."""
        for probe in list(self._probes):
            if not probe.done():
                probe.set_result({})


def _has_time(begun_s: float, crowd: CrowdMeter) -> bool:
    """Whether a script may still end: on a crowded machine the page gets as little as we do."""
    return loop_time() - begun_s < TERMINATED_SECONDS * min(MOST_SLOWDOWN, crowd.slowdown)
