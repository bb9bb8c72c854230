"""Scripts of a page that are halted until another document comes: the page floods the browser and nothing else helps.

What the page shows stays and can be read. Timers, events and messages run no script of it; what waits for an answer of
the network in a loop goes on (Chromium 156), and so do its workers.
"""

from __future__ import annotations

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.opening import attach_to_target, detach_from_target
from perception.deadline import Deadline


class HaltedScripts:
    """Halts the scripts of one tab, by a DevTools session of its own, with which the setting ends: ended in the same
    session, it sometimes returns with the next document (Chromium 156)."""

    def __init__(self, session: CdpSession, target_id: str) -> None:
        """`session`: of the tab; another one is opened beside it."""
        self._browser = session.link.session()
        self._target_id = target_id
        self._halting: CdpSession | None = None

    @property
    def is_on(self) -> bool:
        return self._halting is not None

    async def begin(self, deadline: Deadline) -> None:
        """Halts them. Does nothing where they are halted already.

        Raises:
            CdpCallError, DeadlineError, SessionLostError
        """
        if self._halting is not None:
            return
        phase = "halting scripts"
        session = await attach_to_target(self._browser, self._target_id, deadline, phase)
        try:
            await session.call("Emulation.setScriptExecutionDisabled", deadline, phase, value=True)
        except BaseException:
            detach_from_target(session)
            raise
        self._halting = session

    def end(self) -> None:
        """Lets scripts run again: another document is about to come."""
        if self._halting is not None:
            detach_from_target(self._halting)
            self._halting = None
