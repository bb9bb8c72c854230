"""Which snapshots a session keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from perception.engine.presented import PresentedSnapshot
from perception.engine.request import RefTarget, SnapshotOptions
from perception.errors import UnknownSnapshotError
from perception.render.text import PagedText
from perception.server.sessions.kept_snapshots import KEPT_OUTCOMES, KEPT_SNAPSHOTS, KeptSnapshots, Purpose
from perception.snapshot import Snapshot
from perception.types import Screenshot, Scroll, TextStyle, View, Viewport

LOOK, ACTION, AID = Purpose.LOOK, Purpose.ACTION, Purpose.AID
WHOLE = SnapshotOptions()
PART = SnapshotOptions(root=RefTarget("e1"))
OUTLINE = SnapshotOptions(view=View.DIGEST)


def keep(kept: KeptSnapshots, tab_id: str = "t1", purpose: Purpose = LOOK, options: SnapshotOptions = WHOLE) -> str:
    snapshot_id = kept.next_id()
    picture = Screenshot(np.zeros((2, 2, 3), np.uint8), 1.0)
    snapshot = Snapshot(snapshot_id, "", "", "L", Viewport(2, 2), Scroll(), (), screenshot=picture)
    kept.keep(PresentedSnapshot(snapshot, tab_id, (), PagedText(()), options), purpose)
    return snapshot_id


def base_id(kept: KeptSnapshots, tab_id: str = "t1") -> str:
    base = kept.base_of(tab_id)
    return base.snapshot.snapshot_id if base is not None else ""


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
    outcomes = [keep(kept, purpose=ACTION) for _ in range(KEPT_OUTCOMES + 1)]
    assert kept.get(asked).snapshot.snapshot_id == asked
    with pytest.raises(UnknownSnapshotError):
        kept.get(outcomes[0])
    assert len(kept) == 1 + KEPT_OUTCOMES


@pytest.mark.parametrize(
    ("purpose", "options", "is_base"),
    [
        pytest.param(LOOK, WHOLE, True, id="look"),
        pytest.param(ACTION, WHOLE, True, id="action"),
        pytest.param(LOOK, OUTLINE, True, id="look-of-another-kind"),
        pytest.param(LOOK, PART, False, id="part"),
        pytest.param(AID, WHOLE, False, id="picture-or-search"),
    ],
)
def test_a_look_at_the_whole_tab_is_the_base_of_the_next_diff(
    purpose: Purpose, options: SnapshotOptions, is_base: bool
) -> None:
    kept = KeptSnapshots()
    first = keep(kept)
    second = keep(kept, "t1", purpose, options)
    assert base_id(kept) == (second if is_base else first)
    assert base_id(kept, "t2") == ""


def test_with_defaults_only_looks_that_list_the_same_are_bases() -> None:
    kept = KeptSnapshots()
    kept.defaults = OUTLINE
    keep(kept)
    assert base_id(kept) == ""
    first = keep(kept, options=replace(OUTLINE, style=TextStyle.COMPACT, max_tokens=80))
    keep(kept)
    assert base_id(kept) == first


def test_a_base_outlives_many_looks_at_parts_and_ends_with_its_tab() -> None:
    kept = KeptSnapshots()
    first = keep(kept)
    for _ in range(KEPT_SNAPSHOTS):
        keep(kept, options=PART)
    assert base_id(kept) == first
    kept.drop_tab("t1")
    assert base_id(kept) == ""
