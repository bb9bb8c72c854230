"""Boxes over an image, as the fragment is written and as a real Chromium shows it."""

from __future__ import annotations

import re

import pytest

from perception.geometry import Box
from perception.render.overlay import MAX_OVERLAY_LABEL, OverlayBox, draw_overlay

LARGE, MIDDLE, SMALL = Box(0, 0, 400, 200), Box(50, 50, 350, 150), Box(190, 90, 210, 110)


def labels(fragment: str) -> list[str]:
    return re.findall("<title>(.*?)</title>", fragment, re.DOTALL)


@pytest.mark.parametrize("order", [(LARGE, MIDDLE, SMALL), (SMALL, LARGE, MIDDLE)])
def test_the_larger_come_first(order: tuple[Box, ...]) -> None:
    fragment = draw_overlay([OverlayBox(box, "true", f"{box.width:g}") for box in order], 400, 200)
    assert labels(fragment) == ["400", "300", "20"]


def test_boxes_of_one_size_keep_their_order() -> None:
    fragment = draw_overlay([OverlayBox(SMALL.shift(at, 0), "true", str(at)) for at in (3, 1, 2)], 400, 200)
    assert labels(fragment) == ["3", "1", "2"]


def test_without_boxes_it_is_an_empty_drawing_of_the_frames_size() -> None:
    fragment = draw_overlay([], 1280, 33.5)
    assert 'viewBox="0 0 1280 33.5"' in fragment
    assert fragment.endswith('aria-hidden="true"></svg>')


def test_a_box_without_a_label_has_no_tooltip() -> None:
    assert "title" not in draw_overlay([OverlayBox(SMALL, "true")], 400, 200)


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        pytest.param("x" * MAX_OVERLAY_LABEL, "x" * MAX_OVERLAY_LABEL, id="just-fits"),
        pytest.param("x" * (MAX_OVERLAY_LABEL + 1), "x" * (MAX_OVERLAY_LABEL - 1) + "…", id="too-long"),
        pytest.param("&" * 1000, "&amp;" * (MAX_OVERLAY_LABEL - 1) + "…", id="no-entity-is-cut"),
    ],
)
def test_a_long_label_is_shortened_before_it_is_escaped(label: str, shown: str) -> None:
    assert labels(draw_overlay([OverlayBox(SMALL, "true", label)], 400, 200)) == [shown]
