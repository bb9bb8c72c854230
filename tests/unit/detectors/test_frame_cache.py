"""Which parts of a frame are processed again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.detectors.frame_cache import DetectionCache, FrameCache, merge
from perception.testing.scripted_detector import ScriptedDetection, detections_of
from perception.types import Pixels

REGION = (100, 50, 740, 530)
LINES = detections_of(
    "reader",
    [
        ScriptedDetection((10, 10, 120, 30), "first"),
        ScriptedDetection((10, 200, 300, 220), "second"),
        ScriptedDetection((400, 400, 600, 430), "third"),
    ],
)


def page(shade: int = 200) -> Pixels:
    return np.full((600, 800, 3), shade, np.uint8)


def run_once(pixels: Pixels) -> FrameCache:
    memory = FrameCache()
    memory.keep(pixels, {("reader", REGION): LINES})
    return memory


def test_a_region_never_seen_is_looked_at_as_a_whole() -> None:
    part = FrameCache().recall("reader", REGION, page(), reads=True)
    assert part.rects == ((0, 0, 640, 480),)
    assert part.kept is None


def test_the_same_pixels_are_not_looked_at_again() -> None:
    part = run_once(page()).recall("reader", REGION, page(), reads=True)
    assert part.rects == ()
    assert merge("reader", part, []) is LINES


def test_what_has_changed_outside_of_a_region_does_not_matter() -> None:
    now = page()
    now[0:40] = 0
    assert run_once(page()).recall("reader", REGION, now, reads=True).rects == ()


def test_of_a_small_change_only_its_part_is_read_and_the_other_lines_stay() -> None:
    now = page()
    now[50 + 205, 100 + 50] = 0
    part = run_once(page()).recall("reader", REGION, now, reads=True)
    ((left, top, right, bottom),) = part.rects
    assert left <= 10
    assert right >= 300  # the whole of the line that was there
    assert top <= 200
    assert bottom >= 220
    assert (right - left) * (bottom - top) < 0.4 * 640 * 480
    new = detections_of("reader", [ScriptedDetection((10.0 - left, 200.0 - top, 290.0 - left, 220.0 - top), "changed")])
    merged = merge("reader", part, [new])
    assert sorted(merged.text) == ["changed", "first", "third"]
    assert merged.xyxy[merged.text.index("changed")].tolist() == [10, 200, 290, 220]


def test_a_change_all_over_is_looked_at_as_a_whole() -> None:
    part = run_once(page()).recall("reader", REGION, page(10), reads=True)
    assert part.rects == ((0, 0, 640, 480),)
    assert part.kept is None


def test_boxes_are_found_in_the_whole_region_once_anything_has_changed_in_it() -> None:
    now = page()
    now[300, 300] = 0
    assert run_once(page()).recall("reader", REGION, now, reads=False).rects == ((0, 0, 640, 480),)


def test_a_frame_of_another_size_is_not_reused() -> None:
    larger = np.full((700, 800, 3), 200, np.uint8)
    assert run_once(page()).recall("reader", REGION, larger, reads=True).rects == ((0, 0, 640, 480),)


def test_each_tab_has_its_own_frame() -> None:
    memory = DetectionCache()
    memory.of_tab("a").keep(page(), {("reader", REGION): LINES})
    assert memory.of_tab("b").seen == {}
    memory.drop_tab("a")
    assert memory.of_tab("a").seen == {}


@given(
    st.lists(st.tuples(st.integers(0, 639), st.integers(0, 479)), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 600), st.integers(0, 460), st.integers(5, 200), st.integers(8, 40)), max_size=8),
)
def test_parts_cover_every_change_and_cut_no_line(
    dots: list[tuple[int, int]], lines: list[tuple[int, int, int, int]]
) -> None:
    known = detections_of(
        "reader", [ScriptedDetection((x, y, min(640, x + w), min(480, y + h)), "x") for x, y, w, h in lines]
    )
    memory = FrameCache()
    memory.keep(page(), {("reader", REGION): known})
    now = page()
    for x, y in dots:
        now[50 + y, 100 + x] = 0
    part = memory.recall("reader", REGION, now, reads=True)
    for x, y in dots:
        assert any(left <= x < right and top <= y < bottom for left, top, right, bottom in part.rects)
    if part.kept is None:
        return
    for left, top, right, bottom in known.xyxy.tolist():
        inside = [r for r in part.rects if r[0] <= left and r[1] <= top and right <= r[2] and bottom <= r[3]]
        cut = [r for r in part.rects if r[0] < right and left < r[2] and r[1] < bottom and top < r[3]]
        assert cut == inside
    assert len(part.kept) == sum(
        not any(r[0] < right and left < r[2] and r[1] < bottom and top < r[3] for r in part.rects)
        for left, top, right, bottom in known.xyxy.tolist()
    )


@pytest.mark.parametrize("text", ["", "a"])
def test_a_change_of_what_was_seen_next_replaces_the_memory(text: str) -> None:
    memory = run_once(page())
    memory.keep(
        page(), {("reader", REGION): detections_of("reader", [ScriptedDetection((0, 0, 9, 9), text)] if text else [])}
    )
    assert merge("reader", memory.recall("reader", REGION, page(), reads=True), []).text == ((text,) if text else ())
