"""The snapshots that a session keeps: for cursors, for diffs, and for coordinates that were read from one."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace

from perception.engine.presented import PresentedSnapshot
from perception.errors import UnknownSnapshotError

KEPT_SNAPSHOTS = 8
"""For cursors and for coordinates read from a snapshot: an agent loops over one or two."""

KEPT_OUTCOMES = 2
"""Of those that actions took for their diffs: they may not displace what a caller asked for."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """`by_action`: an action took it for its diff."""

    presented: PresentedSnapshot
    by_action: bool


class KeptSnapshots:
    """The last snapshots of one session, by id."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._last = 0

    def __len__(self) -> int:
        return len(self._kept)

    def next_id(self) -> str:
        """The id of the next snapshot: s1, s2, …"""
        self._last += 1
        return f"s{self._last}"

    def keep(self, presented: PresentedSnapshot, *, by_action: bool = False) -> None:
        """Keeps a snapshot without its picture, which is for the answer alone and takes megabytes."""
        snapshot = replace(presented.snapshot, screenshot=None)
        self._kept[snapshot.snapshot_id] = _Kept(replace(presented, snapshot=snapshot), by_action)
        alike = [key for key, each in self._kept.items() if each.by_action == by_action]
        for key in alike[: -(KEPT_OUTCOMES if by_action else KEPT_SNAPSHOTS)]:
            del self._kept[key]

    def drop(self, snapshot_id: str) -> None:
        """Drops a snapshot, if it is still kept."""
        self._kept.pop(snapshot_id, None)

    def get(self, snapshot_id: str) -> PresentedSnapshot:
        """Raises UnknownSnapshotError when it is not kept (any more)."""
        kept = self._kept.get(snapshot_id)
        if kept is None:
            raise UnknownSnapshotError(
                f"snapshot {snapshot_id!r} is not kept: this session keeps the last {KEPT_SNAPSHOTS}; take a new one",
                snapshot=snapshot_id[:40],
            )
        return kept.presented

    def last_of(self, tab_id: str) -> PresentedSnapshot | None:
        """The newest snapshot that is kept of a tab."""
        kept = (each.presented for each in reversed(self._kept.values()))
        return next((each for each in kept if each.tab_id == tab_id), None)
