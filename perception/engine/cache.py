"""The last snapshot of each tab, served again while the page has not changed.

A page that has not changed gives the same elements and the same screenshot, as objects; see
`perception.browser.capture.capturer`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from perception.engine.last_look import LastLook
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


def shows_same(one: Capture, other: Capture) -> bool:
    """Whether two captures of a tab have the same facts and pixels, whatever is pending in each."""
    if one is other:
        return True
    if one.elements is not other.elements or one.screenshot is not other.screenshot:
        return False
    first, second = (replace(each, elements=(), screenshot=None, pending=()) for each in (one, other))
    return first == second


def lists_same(one: SnapshotOptions, other: SnapshotOptions) -> bool:
    """Whether two looks with these options show the same. How long the page is waited for changes nothing of that."""
    return replace(one, settle_s=other.settle_s) == other


class SnapshotCache:
    """The snapshots of one session that may be served again."""

    def __init__(self) -> None:
        self._of_tab: dict[str, _Entry] = {}
        self._looks: dict[str, LastLook] = {}

    def last_look(self, tab_id: str) -> LastLook:
        """What a look at the tab need not make again."""
        return self._looks.setdefault(tab_id, LastLook())

    def find(self, tab_id: str, options: SnapshotOptions, capture: Capture, refs: RefTable) -> PresentedSnapshot | None:
        """The tab's last snapshot, if a new one would be the same; else None."""
        entry = self._of_tab.get(tab_id)
        if entry is None or not shows_same(entry.capture, capture) or entry.refs_version != refs.version:
            return None
        return entry.presented if lists_same(options, entry.presented.options) else None

    def keep(self, presented: PresentedSnapshot, capture: Capture, refs: RefTable) -> None:
        """Keeps the snapshot of a capture. Snapshots of a root, and those that another look may add to, are not
        kept: the next request makes them again."""
        if presented.options.root is None and presented.snapshot.is_whole:
            self._of_tab[presented.tab_id] = _Entry(capture, refs.version, presented)

    def knows(self, tab_id: str, options: SnapshotOptions, refs: RefTable) -> bool:
        """Whether the tab's last snapshot is the answer to these options, as long as its page does not change."""
        entry = self._of_tab.get(tab_id)
        return entry is not None and entry.refs_version == refs.version and lists_same(options, entry.presented.options)

    def drop_tab(self, tab_id: str) -> None:
        self._of_tab.pop(tab_id, None)
        self._looks.pop(tab_id, None)
