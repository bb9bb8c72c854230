"""Whether scripts may still do something because of input, of which nothing can be seen until then.

What they ask of the network, animate or change is seen; a timer is not. But all scripts of a document number their
timers in one row, so it is known whether one was set. A page that looks at its fields again and again sets none then:
its scripts run while nothing happens.

Rule: in doubt they may.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession, consume


class LateWork:
    """What is known of the scripts of the document that is shown, and of its frames.

    Attributes:
        has_workers: scripts run beside the document's, whose answers nothing announces.
    """

    def __init__(self) -> None:
        self.has_workers = False
        self._timers: Mapping[str, int] | None = None
        self._scripts_s = 0.0
        self._at_input: asyncio.Future[dict[str, Any]] | None = None
        self._is_over = False

    def note_rest(self, timers: Mapping[str, int] | None, scripts_s: float) -> None:
        """The page is at rest.

        Args:
            timers: how many its scripts have set so far, by frame; None where that is not known of all frames.
            scripts_s: time spent in its scripts so far.
        """
        self._is_over = not self.may_come(timers)
        self._timers, self._scripts_s, self._at_input = timers, scripts_s, None

    def note_input(self, session: CdpSession) -> None:
        """Input is about to be sent: asks how long scripts have run until then, and does not wait for the answer."""
        if self._timers is not None and self._at_input is None:
            self._at_input = session.start("Performance.getMetrics")
            self._at_input.add_done_callback(consume)

    def may_come(self, timers: Mapping[str, int] | None) -> bool:
        """Whether scripts may have something left to do because of input since the page was at rest.

        Args:
            timers: as for `note_rest`, now.
        """
        if self.has_workers or timers is None or timers != self._timers:
            return True
        if self._at_input is None:  # no input since
            return not self._is_over
        return not self._at_input.done() or self._scripts_at_input() > self._scripts_s

    def _scripts_at_input(self) -> float:
        assert self._at_input is not None
        if self._at_input.cancelled() or self._at_input.exception() is not None:
            return float("inf")
        told = {each["name"]: each["value"] for each in self._at_input.result()["metrics"]}
        return float(told.get("ScriptDuration", float("inf")))
