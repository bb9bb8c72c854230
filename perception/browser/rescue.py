"""A tab's rescue from scripts that do not end: after a deadline, or all the time where a page hangs again and again.

What cannot be freed is given up: see `recover`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from perception.browser.cdp import CdpSession
from perception.browser.recover import (
    GUARD_SECONDS,
    HUNG_SECONDS,
    TERMINATED_SECONDS,
    ask_whether_free,
    count,
    end_script,
    is_done,
)
from perception.budget import Budget

if TYPE_CHECKING:
    from perception.browser.page import PageLink

Probe = asyncio.Future[dict[str, Any]]
"""A question to a process: done when it answers or is gone."""


class Rescue:
    """Of one tab."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        self._freeing: set[asyncio.Task[None]] = set()
        self._guard: asyncio.Task[None] | None = None
        self._probes: set[Probe] = set()
        self._works: set[tuple[CdpSession, Probe]] = set()
        self.has_hung = False
        """The document that is there had a script that had to be ended, or a dialog that held its script up."""
        page.dialogs.on_opened = self._answer_probes

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """What is under way."""
        return [*self._freeing, *([self._guard] if self._guard else [])]

    def begin_anew(self) -> None:
        """Another document has come: nothing is known against it."""
        self.has_hung = False
        self.stop_guarding()

    def unhang(self, patience_s: float = HUNG_SECONDS, *, dismissing: bool = False) -> None:
        """Frees the page, and its frames, from a script that does not end. For after a deadline: nobody waits for it
        but the next call, by `wait_freed`.

        Args:
            dismissing: also of the dialogs that it opens.
        """
        if self._freeing:
            return
        for session in self._page.sessions:
            task = asyncio.create_task(self._free(session, patience_s, dismissing), name="unhang")
            self._freeing.add(task)
            task.add_done_callback(self._freeing.discard)

    @property
    def is_freeing(self) -> bool:
        """It has not been proved yet that the page is free."""
        return bool(self._freeing)

    async def wait_freed(self, budget: Budget) -> None:
        """Until the page is free again, or known to be beyond help."""
        if self._freeing:
            patience_s = budget.share(HUNG_SECONDS + TERMINATED_SECONDS).remaining()
            await asyncio.wait(list(self._freeing), timeout=patience_s)

    @contextlib.asynccontextmanager
    async def guarding(self) -> AsyncIterator[None]:
        """Frees a page that has hung as often as it hangs inside, until another document has come: for one that hangs
        again and again, by a timer."""
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
        """For a question of our own to a page that is guarded, put right after this is entered: a large page takes
        seconds over it, and that is no hanging."""
        if self._guard is None:
            yield
            return
        work = session, ask_whether_free(session)  # once this is answered, it is the question's turn
        self._works.add(work)
        try:
            yield
        finally:
            self._works.discard(work)

    def stop_guarding(self) -> None:
        """For a script that may take its time. Nothing where nobody guards."""
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None

    async def _keep_free(self) -> None:
        while not (self._page.crashed or self._page.gone):
            if not self._freeing:
                await self._free(self._page.session, GUARD_SECONDS, dismissing=False, sparing=True)
            await asyncio.sleep(GUARD_SECONDS)

    async def _free(self, session: CdpSession, patience_s: float, dismissing: bool, *, sparing: bool = False) -> None:
        """One whose script does not end even so, such as one that hung before DevTools got hold of it, counts as
        crashed. A page with an open dialog waits, and does not hang, and neither does one that is left.

        Args:
            sparing: questions of our own, that the page is at work on.
        """
        if self._page.dialogs.open is not None:
            return
        probe = ask_whether_free(session)
        self._probes.add(probe)
        probe.add_done_callback(self._probes.discard)
        with self._page.dialogs.dismissing() if dismissing else contextlib.nullcontext():
            if await is_done(probe, patience_s):
                return
            while sparing and any(known is session and ahead.done() for known, ahead in self._works):
                if await is_done(probe, GUARD_SECONDS):
                    return
            budget = Budget.of(TERMINATED_SECONDS)
            while not budget.spent():
                end_script(session)  # once for each script: the next one may begin before the question is heard
                if self._page.is_leaving and session is self._page.session:
                    return
                if await is_done(probe, GUARD_SECONDS):
                    self.has_hung = True
                    count("terminate")
                    return
        self._page.give_up(session, probe)

    def _answer_probes(self) -> None:
        """A page that opens a dialog does not hang."""
        for probe in list(self._probes):
            if not probe.done():
                probe.set_result({})
