"""Listeners that scripts add where nothing else of the page changes: Chromium counts them, and no walker sees them.

Rule 1: a document that adds listeners all the time, none of which makes a control, is asked for them only when it
changes.
"""

from __future__ import annotations

from collections.abc import Mapping

from perception.browser.capture.probe import Counters

MAX_FUTILE = 3
"""After so many times in a row that they brought no control, they are not asked for. Chosen by hand."""


class LateListeners:
    """Whether the page of one tab is asked for late listeners."""

    def __init__(self) -> None:
        self._loader = ""
        self._futile = 0
        self._before: Mapping[str, Counters] = {}
        self._least: dict[str, int] = {}
        self._more = False

    def may_be(self, loader: str, before: Mapping[str, Counters], now: Mapping[str, Counters]) -> bool:
        """Whether there are more than there were at some moment since the last capture, and it pays to ask for them; or
        scripts ran, and Chromium has collected garbage: as many may have gone as have come.

        Args:
            loader: the top document.
            before: counters of the last capture, by CDP session id: the same object until the next one.
            now: counters, by CDP session id.
        """
        if loader != self._loader:
            self._loader, self._futile = loader, 0
        if before is not self._before:
            self._before, self._least = before, {key: each.listeners for key, each in before.items()}
        counts = {key: each.listeners for key, each in now.items() if key in self._least}
        self._more = any(count > self._least[key] for key, count in counts.items())
        # Chromium forgets listeners of what was removed when it collects garbage.
        self._least |= {key: min(count, self._least[key]) for key, count in counts.items()}
        if self._more:
            return self._futile < MAX_FUTILE
        return any(
            now[key].collections != before[key].collections and now[key].scripts_s > before[key].scripts_s
            for key in counts
        )

    def note(self, *, found: bool) -> None:
        """Whether they made a control."""
        self._futile = 0 if found else self._futile + self._more
