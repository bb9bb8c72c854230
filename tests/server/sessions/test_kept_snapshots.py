"""Which snapshots a session keeps."""

from __future__ import annotations

import numpy as np
import pytest

from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions
from perception.errors import UnknownSnapshotError
from perception.render.text import PagedText
from perception.server.sessions.kept_snapshots import KEPT_OUTCOMES, KEPT_SNAPSHOTS, KeptSnapshots
from perception.types import Screenshot, Scroll, Snapshot, Viewport


def keep(kept: KeptSnapshots, tab_id: str = "t1", *, by_action: bool = False) -> str:
    snapshot_id = kept.next_id()
    picture = Screenshot(np.zeros((2, 2, 3), np.uint8), 1.0)
    snapshot = Snapshot(snapshot_id, "", "", "L", Viewport(2, 2), Scroll(), (), screenshot=picture)
    kept.keep(PresentedSnapshot(snapshot, tab_id, (), PagedText(()), SnapshotOptions()), by_action=by_action)
    return snapshot_id


def last_id(kept: KeptSnapshots, tab_id: str) -> str:
    last = kept.last_of(tab_id)
    return last.snapshot.snapshot_id if last is not None else ""


def test_ids_count_up() -> None:
    kept = KeptSnapshots()
    assert [kept.next_id() for _ in range(3)] == ["s1", "s2", "s3"]


def test_a_snapshot_is_kept_without_its_picture() -> None:
    kept = KeptSnapshots()
    assert kept.get(keep(kept)).snapshot.screenshot is None


def test_the_oldest_goes_first() -> None:
    kept = KeptSnapshots()
    ids = [keep(kept) for _ in range(KEPT_SNAPSHOTS + 1)]
    with pytest.raises(UnknownSnapshotError, match=f"keeps the last {KEPT_SNAPSHOTS}"):
        kept.get(ids[0])
    assert [kept.get(each).snapshot.snapshot_id for each in ids[1:]] == ids[1:]


def test_actions_displace_only_their_own() -> None:
    kept = KeptSnapshots()
    asked = keep(kept)
    outcomes = [keep(kept, by_action=True) for _ in range(KEPT_OUTCOMES + 1)]
    assert kept.get(asked).snapshot.snapshot_id == asked
    with pytest.raises(UnknownSnapshotError):
        kept.get(outcomes[0])
    assert len(kept) == 1 + KEPT_OUTCOMES


def test_the_last_of_a_tab_is_found() -> None:
    kept = KeptSnapshots()
    keep(kept)
    second = keep(kept)
    keep(kept, "t2")
    assert last_id(kept, "t1") == second
    assert last_id(kept, "t3") == ""
    kept.drop(second)
    kept.drop(second)
    assert last_id(kept, "t1") == "s1"
