"""Only text without ink in its pixels is marked not visible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from perception.fusion.ink import mark_unseen
from perception.geometry import Box
from perception.types import Capture, Element, Pixels, Screenshot, Scroll, Viewport

TEXT = Element("text", "Opening hours", Box(100, 20, 200, 38))


def page(level: int = 255, scale: int = 1) -> Pixels:
    return np.full((100 * scale, 300 * scale, 3), level, np.uint8)


def strokes(pixels: Pixels, box: Box, difference: int) -> Pixels:
    """Upright strokes, one every 6 px, as letters have them."""
    for left in range(int(box.left) + 2, int(box.right) - 2, 6):
        pixels[int(box.top) + 4 : int(box.bottom) - 4, left] = pixels[0, 0] - difference
    return pixels


def capture(pixels: Pixels, *elements: Element, scale: float = 1.0) -> Capture:
    return Capture("", "", "", Viewport(300, 100), Scroll(), elements, Screenshot(pixels, scale))


def seen(pixels: Pixels, *elements: Element, scale: float = 1.0) -> list[bool]:
    return [each.visible for each in mark_unseen(capture(pixels, *elements, scale=scale))]


@pytest.mark.parametrize(
    ("pixels", "visible"),
    [
        pytest.param(page(), False, id="nothing"),
        pytest.param(strokes(page(), TEXT.box, 255), True, id="black-on-white"),
        pytest.param(strokes(page(), TEXT.box, 17), True, id="the-lightest-grey"),
        pytest.param(strokes(page(), TEXT.box, 4), False, id="less-than-a-person-sees"),
        pytest.param(strokes(page(), Box(100, 20, 106, 38), 255), False, id="a-line-across"),
        pytest.param(np.tile(np.arange(300, dtype=np.uint8)[None, :, None] // 2, (100, 1, 3)), False, id="gradient"),
    ],
)
def test_text_is_seen_where_its_pixels_have_edges(pixels: Pixels, visible: bool) -> None:
    assert seen(pixels, TEXT) == [visible]


def test_a_short_heading_in_a_wide_box_is_seen() -> None:
    heading = Element("heading", "A", Box(0, 20, 300, 38))
    assert seen(strokes(page(), Box(0, 20, 8, 38), 200), heading) == [True]
    assert seen(page(), heading) == [False]


def test_a_link_is_unseen_only_where_nothing_is_painted_of_it() -> None:
    link = replace(TEXT, role="link", interactive=True)
    filled = page()
    filled[20:38, 100:200] = 60  # a button's looks, without words
    assert seen(page(), link) == [False]
    assert seen(filled, link) == [True]


@pytest.mark.parametrize(
    "element",
    [
        pytest.param(replace(TEXT, sensitive=True), id="private"),
        pytest.param(replace(TEXT, in_viewport=False), id="out-of-view"),
        pytest.param(replace(TEXT, name=""), id="nameless"),
        pytest.param(replace(TEXT, box=Box(100, 97, 200, 115)), id="hardly-in-view"),
        pytest.param(replace(TEXT, box=Box(-50, -50, -10, -30)), id="off-screen"),
        pytest.param(replace(TEXT, box=Box(10, 10, 10, 10)), id="no-area"),
        pytest.param(Element("button", "Red", Box(100, 20, 120, 40), interactive=True), id="a-control"),
    ],
)
def test_what_pixels_cannot_decide_is_unchanged(element: Element) -> None:
    assert seen(page(), element) == [True]


def test_text_under_a_mask_stays_as_it_is() -> None:
    assert seen(page(128), TEXT, Element("textbox", "Password", Box(90, 10, 210, 50), sensitive=True)) == [True, True]


def test_a_page_that_moves_or_was_torn_or_has_no_picture_stays_as_it_is() -> None:
    whole = capture(page(), TEXT)
    for each in (replace(whole, pending=("animations",)), replace(whole, torn=True), replace(whole, screenshot=None)):
        assert mark_unseen(each) == (TEXT,)
    assert mark_unseen(capture(page())) == ()


def test_boxes_are_in_css_pixels_at_any_scale() -> None:
    double = strokes(page(scale=2), Box(200, 40, 400, 76), 200)
    assert seen(double, TEXT, scale=2.0) == [True]
    assert seen(double, replace(TEXT, box=Box(100, 60, 200, 78)), scale=2.0) == [False]
