"""Chromium's counters of a renderer process at one moment of a script, reported by an event.

`console.timeStamp` has DevTools report the metrics of that moment (Chromium 156), in order with everything else that
the script does. `Performance.getMetrics` is answered in the middle of a running script, or before an earlier one.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class ProcessCounters:
    """The counters of one tab's processes.

    Rule 1: a page cannot know the titles: it calls `console.timeStamp`, too.
    """

    def __init__(self) -> None:
        self._prefix = secrets.token_hex(8)
        self._number = 0
        self._reported: dict[str, dict[str, Any] | None] = {}

    @contextmanager
    def asking(self) -> Iterator[str]:
        """A title for one `console.timeStamp`, whose report is kept inside."""
        self._number += 1
        title = f"{self._prefix} {self._number}"
        self._reported[title] = None
        try:
            yield title
        finally:
            del self._reported[title]

    def hear(self, params: dict[str, Any]) -> None:
        """Takes an event `Performance.metrics`."""
        if params.get("title") in self._reported:
            self._reported[params["title"]] = params

    def reported(self, title: str) -> dict[str, Any] | None:
        """The event with that title; None where Chromium did not send it."""
        return self._reported[title]
