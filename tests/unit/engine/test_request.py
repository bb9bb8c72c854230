"""What a look is asked for: targets as values, and which lists can be compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perception.engine.presented import PresentedSnapshot, require_comparable
from perception.engine.request import (
    BackendNodeTarget,
    PointTarget,
    RefTarget,
    SelectorTarget,
    SnapshotOptions,
    Target,
)
from perception.errors import BadInputError
from perception.geometry import Point
from perception.render.text import PagedText
from perception.snapshot import Snapshot
from perception.types import Engine, Mode, Scope, Scroll, TextStyle, View, Viewport

SNAPSHOT = Snapshot("s1", "https://a.example/", "", "L", Viewport(100, 100), Scroll(), ())


def presented(options: SnapshotOptions, tab_id: str = "t1") -> PresentedSnapshot:
    return PresentedSnapshot(SNAPSHOT, tab_id, (), PagedText(()), options)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        pytest.param(RefTarget("e5"), "ref 'e5'", id="ref"),
        pytest.param(SelectorTarget("#a"), "selector '#a'", id="selector"),
        pytest.param(BackendNodeTarget(7), "backend_node_id 7", id="node"),
        pytest.param(PointTarget(Point(1, 2.5)), "coordinate (1, 2.5)", id="point"),
        pytest.param(PointTarget(Point(1, 2), "s3", SNAPSHOT), "coordinate (1, 2) of s3", id="point-of-a-snapshot"),
    ],
)
def test_a_target_says_what_it_is(target: Target, words: str) -> None:
    assert str(target) == words


def test_a_point_is_the_same_target_whichever_object_holds_its_snapshot() -> None:
    again = replace(SNAPSHOT, title="again")
    assert PointTarget(Point(1, 2), "s1", SNAPSHOT) == PointTarget(Point(1, 2), "s1", again)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"style": TextStyle.COMPACT}, id="style"),
        pytest.param({"max_tokens": 500}, id="max-tokens"),
        pytest.param({"settle_s": 3.0}, id="settle"),
        pytest.param({"with_pixels": True}, id="pixels"),
        pytest.param({"selectors": True}, id="selectors"),
    ],
)
def test_lists_that_are_only_written_otherwise_are_comparable(change: dict[str, object]) -> None:
    require_comparable(presented(SnapshotOptions()), "t1", replace(SnapshotOptions(), **change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"mode": Mode.TEXT}, "taken with mode fused, this one is asked for with text", id="mode"),
        pytest.param({"engine": Engine.AX}, "with engine walker", id="engine"),
        pytest.param({"scope": Scope.PAGE}, "with scope viewport", id="scope"),
        pytest.param({"view": View.DIGEST}, "with view full", id="view"),
        pytest.param({"reveal": True}, "with masking none, this one is asked for with reveal_sensitive", id="reveal"),
        pytest.param({"root": RefTarget("e5")}, "with root none, this one is asked for with ref 'e5'", id="root"),
    ],
)
def test_lists_of_other_elements_are_not_comparable(change: dict[str, object], words: str) -> None:
    with pytest.raises(BadInputError, match="s1 was taken with") as caught:
        require_comparable(presented(SnapshotOptions()), "t1", replace(SnapshotOptions(), **change))
    assert words in str(caught.value)


def test_lists_of_two_tabs_are_not_comparable() -> None:
    with pytest.raises(BadInputError, match="taken with tab t1, this one is asked for with t2"):
        require_comparable(presented(SnapshotOptions()), "t2", SnapshotOptions())
