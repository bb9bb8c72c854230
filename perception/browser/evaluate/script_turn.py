"""Whether it is a client's script that keeps its page busy: only that one is terminated."""

from __future__ import annotations

from typing import Any

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page.recovery import Probe, ask_whether_free
from perception.browser.page.watchdog import ScriptWatchdog
from perception.deadline import Deadline
from perception.errors import DeadlineError

SCRIPT_PATIENCE_SECONDS = 0.1
"""How long a page with a late script may take to answer before the script is terminated: twice a long task, as W3C's
Long Tasks defines it."""


class ScriptTurn:
    """When a client's script has its turn in the page. What a DevTools session asks is answered in order: a question
    ahead of the script is answered when it begins, and one behind it when it has run, even if its promise is pending.
    Of Playwright's scripts nothing is known, and they count as running.
    """

    def __init__(self, watchdog: ScriptWatchdog) -> None:
        self._watchdog = watchdog
        self._ahead: Probe | None = None
        self._behind: Probe | None = None

    async def call(
        self, session: CdpSession, method: str, deadline: Deadline, phase: str, **params: Any
    ) -> dict[str, Any]:
        """As `CdpSession.call`, for a command that runs the script or a part of it."""
        async with deadline.phase(phase):
            self._ahead = ask_whether_free(session)
            answer = session.start(method, **params)
            self._behind = ask_whether_free(session)
            return await answer

    def terminate(self) -> None:
        """Terminates the script, which is late. A script of the page's own has more time."""
        if _is_answered(self._behind) or not self._has_begun:
            self._watchdog.terminate_script()
        else:
            self._watchdog.terminate_script(SCRIPT_PATIENCE_SECONDS, dismissing=True, is_clients=True)

    def late(self, spent_s: float, phase: str, *, is_crashed: bool) -> DeadlineError:
        """The error of a script that was late.

        Args:
            spent_s: how long the call took.
        """
        answers = not (self._watchdog.is_freeing or is_crashed)
        if self._has_begun:
            what = f"the script was not done after {spent_s:.1f} s and was terminated; "
            what += "the page answers again" if answers else "the page does not answer yet"
            what += ": it may have done a part of its work; allow more time or do less work"
        else:
            what = f"the script had not begun after {spent_s:.1f} s, as the page is busy with one of its own: "
            what += "it may run once that has ended; wait for the page first, or allow more time"
        error = DeadlineError(what, phase=phase, dispatched=True)
        error.metadata["page_answers"] = str(answers).lower()
        return error

    @property
    def _has_begun(self) -> bool:
        return self._ahead is None or _is_answered(self._ahead)


def _is_answered(probe: Probe | None) -> bool:
    """Those of a session that has ended are done without an answer."""
    return probe is not None and probe.done() and not probe.cancelled() and probe.exception() is None
