"""Boxes and refs drawn on a screenshot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from perception.geometry import Box
from perception.render.annotate import (
    BOTH_COLOR,
    PAGE_COLOR,
    VISION_COLOR,
    Rectangle,
    annotate,
    color_of,
    place_labels,
)
from perception.types import Element, Screenshot, Source

FONT = ImageFont.load_default(11)


def shot(width: int = 300, height: int = 200, scale: float = 1, shade: int = 255) -> Screenshot:
    return Screenshot(np.full((round(height * scale), round(width * scale), 3), shade, np.uint8), scale)


def element(box: tuple[float, float, float, float], ref: str = "e1", **more: object) -> Element:
    return Element("button", "", Box(*box), ref=ref, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_a_frame_is_drawn_where_the_element_is(scale: float) -> None:
    drawn = annotate(shot(scale=scale), [element((100, 80, 200, 120))])
    left, top, middle = round(100 * scale), round(80 * scale), round(100 * scale)
    assert drawn[middle, left].tolist() == list(PAGE_COLOR[::-1])
    assert drawn[top + 4, round(150 * scale)].tolist() == [255, 255, 255]
    assert drawn[middle, left - 3].tolist() == [255, 255, 255]


@pytest.mark.parametrize("shade", [0, 60, 128, 200, 255])
def test_a_frame_shows_on_any_page(shade: int) -> None:
    drawn = annotate(shot(shade=shade), [element((100, 80, 200, 120))]).astype(int)
    across = np.abs(drawn[100, 98:104] - shade).max(axis=1)
    assert across.max() > 100


@pytest.mark.parametrize(
    "left_out",
    [
        pytest.param(element((10, 10, 50, 50), ref=""), id="no ref"),
        pytest.param(element((10, 10, 50, 50), blocker="e2"), id="covered"),
        pytest.param(element((10, 10, 50, 50), in_viewport=False), id="not in the viewport"),
        pytest.param(element((400, 10, 500, 50)), id="outside the picture"),
        pytest.param(element((-90, -90, -10, -10)), id="above and left of the picture"),
        pytest.param(element((10, 10, 10, 50)), id="no area"),
    ],
)
def test_what_cannot_be_pointed_at_is_left_out(left_out: Element) -> None:
    plain = shot()
    assert np.array_equal(annotate(plain, [left_out]), plain.pixels)


def test_the_screenshot_itself_is_not_drawn_on() -> None:
    plain = shot()
    annotate(plain, [element((10, 40, 90, 80))])
    assert plain.pixels.min() == 255


@pytest.mark.parametrize(
    ("sources", "color"),
    [
        ((Source.DOM,), PAGE_COLOR),
        ((Source.AX, Source.DOM), PAGE_COLOR),
        ((Source.OCR,), VISION_COLOR),
        ((Source.OCR, Source.DETECTOR), VISION_COLOR),
        ((Source.DOM, Source.OCR), BOTH_COLOR),
    ],
)
def test_color_says_who_knows_of_it(sources: tuple[Source, ...], color: tuple[int, int, int]) -> None:
    assert color_of(element((0, 0, 9, 9), sources=sources)) == color


@pytest.mark.parametrize("color", [PAGE_COLOR, VISION_COLOR, BOTH_COLOR])
def test_white_is_legible_on_every_color(color: tuple[int, int, int]) -> None:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (value / 255 for value in color)]
    luminance = float(np.dot(linear, [0.2126, 0.7152, 0.0722]))
    assert 1.05 / (luminance + 0.05) >= 4.5


def crossing(first: Rectangle, second: Rectangle) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def test_labels_of_a_dense_toolbar_do_not_overlap() -> None:
    buttons = [(element((0, 0, 1, 1), ref=f"e{100 + i}"), (20 + 34 * i, 60, 52 + 34 * i, 92)) for i in range(20)]
    labels = place_labels(buttons, FONT, (800, 200), 1)
    assert not any(crossing(a.place, b.place) for i, a in enumerate(labels) for b in labels[i + 1 :])


def test_a_label_leaves_a_small_neighbor_free() -> None:
    upper, lower = (20, 40, 40, 60), (20, 60, 40, 80)
    labels = place_labels(
        [(element((0, 0, 1, 1), "e1"), upper), (element((0, 0, 1, 1), "e2"), lower)], FONT, (200, 200), 1
    )
    assert not any(crossing(label.place, frame) for label in labels for frame in (upper, lower))


FRAMES = st.tuples(st.integers(0, 380), st.integers(0, 280), st.integers(3, 400), st.integers(3, 300)).map(
    lambda box: (box[0], box[1], min(400, box[0] + box[2]), min(300, box[1] + box[3]))
)


@given(st.lists(FRAMES, max_size=30))
def test_every_label_is_in_the_image(frames: list[Rectangle]) -> None:
    shown = [(element((0, 0, 1, 1), ref=f"v{i}"), frame) for i, frame in enumerate(frames)]
    labels = place_labels(shown, FONT, (400, 300), 1)
    assert sorted(label.ref for label in labels) == sorted(f"v{i}" for i in range(len(frames)))
    for label in labels:
        left, top, right, bottom = label.place
        assert 0 <= left < right <= 400
        assert 0 <= top < bottom <= 300
