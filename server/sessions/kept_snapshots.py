"""The snapshots that a session keeps: for cursors, for diffs, and for coordinates that were read from one."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from enum import Enum

from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions
from perception.errors import UnknownSnapshotError

KEPT_SNAPSHOTS = 8
"""For cursors and for coordinates read from a snapshot: an agent loops over one or two."""

KEPT_OUTCOMES = 2
"""Most of the snapshots that actions took for their diffs: they may not displace what a caller asked for."""


class Purpose(Enum):
    """What a snapshot was taken for."""

    LOOK = "look"
    """The caller asked for the page."""
    ACTION = "action"
    """An action took it, for its diff."""
    AID = "aid"
    """Another call took it: an annotated screenshot, a search."""


@dataclass(frozen=True, slots=True)
class _Kept:
    presented: PresentedSnapshot
    by_action: bool


class KeptSnapshots:
    """The last snapshots of one session, by id, and the base of each tab: what the diff of its next action leads from.

    A base is the last look at the whole tab that the caller asked for, or the last that an action gave the difference
    to. A look at one part (`root`) and a snapshot that was taken for a picture or a search never are one.

    Attributes:
        defaults: how the caller looks by default, where it said so. Only looks that list the same are bases then.
    """

    def __init__(self) -> None:
        self.defaults: SnapshotOptions | None = None
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._bases: dict[str, PresentedSnapshot] = {}
        self._last = 0

    def __len__(self) -> int:
        return len(self._kept)

    def next_id(self) -> str:
        """The id of the next snapshot: s1, s2, …"""
        self._last += 1
        return f"s{self._last}"

    def keep(self, presented: PresentedSnapshot, purpose: Purpose = Purpose.LOOK) -> None:
        """Keeps a snapshot without its picture, which is for the answer alone and takes megabytes."""
        snapshot = replace(presented.snapshot, screenshot=None)
        presented = replace(presented, snapshot=snapshot)
        by_action = purpose is Purpose.ACTION
        self._kept[snapshot.snapshot_id] = _Kept(presented, by_action)
        alike = [key for key, each in self._kept.items() if each.by_action == by_action]
        for key in alike[: -(KEPT_OUTCOMES if by_action else KEPT_SNAPSHOTS)]:
            del self._kept[key]
        if self._is_base(presented, purpose):
            self._bases[presented.tab_id] = presented

    def drop(self, snapshot_id: str) -> None:
        """Drops a snapshot, if it is still kept."""
        self._kept.pop(snapshot_id, None)

    def drop_tab(self, tab_id: str) -> None:
        """Drops the base of a tab that is gone."""
        self._bases.pop(tab_id, None)

    def has(self, snapshot_id: str) -> bool:
        """Whether a snapshot is kept."""
        return snapshot_id in self._kept

    def get(self, snapshot_id: str) -> PresentedSnapshot:
        """Raises UnknownSnapshotError when it is not kept (any more)."""
        kept = self._kept.get(snapshot_id)
        if kept is None:
            raise UnknownSnapshotError(
                f"snapshot {snapshot_id!r} is not kept: this session keeps the last {KEPT_SNAPSHOTS}; take a new one",
                snapshot=snapshot_id[:40],
            )
        return kept.presented

    def base_of(self, tab_id: str) -> PresentedSnapshot | None:
        """What the diff of the tab's next action leads from; None before the first look."""
        return self._bases.get(tab_id)

    def _is_base(self, presented: PresentedSnapshot, purpose: Purpose) -> bool:
        if purpose is Purpose.AID or presented.options.root is not None:
            return False
        return self.defaults is None or presented.options.list_settings() == self.defaults.list_settings()
