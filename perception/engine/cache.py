"""The last snapshot of each tab, served again while the page has not changed.

A page that has not changed, pixels included, gives the same `Capture` object; see
`perception.browser.capture.capturer`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions
from perception.refs import RefTable
from perception.types import Capture


@dataclass(frozen=True, slots=True)
class _Entry:
    """A snapshot with what it was made of. `refs_version` is that of the ref table after it was made."""

    capture: Capture
    refs_version: int
    presented: PresentedSnapshot


class SnapshotCache:
    """Of one session."""

    def __init__(self) -> None:
        self._of_tab: dict[str, _Entry] = {}

    def find(self, tab_id: str, options: SnapshotOptions, capture: Capture, refs: RefTable) -> PresentedSnapshot | None:
        """The tab's last snapshot, if a new one would be the same; else None."""
        entry = self._of_tab.get(tab_id)
        if entry is None or entry.capture is not capture or entry.refs_version != refs.version:
            return None
        # How long the page was waited for changes nothing of what is seen.
        asked = replace(options, settle_s=entry.presented.options.settle_s)
        return entry.presented if asked == entry.presented.options else None

    def keep(self, presented: PresentedSnapshot, capture: Capture, refs: RefTable) -> None:
        """Keeps the snapshot of a capture. Snapshots of a root, and those with skipped parts, are not kept: the next
        request makes them again."""
        if presented.options.root is None and not presented.snapshot.skipped:
            self._of_tab[presented.tab_id] = _Entry(capture, refs.version, presented)

    def drop_tab(self, tab_id: str) -> None:
        self._of_tab.pop(tab_id, None)
