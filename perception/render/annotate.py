"""Draws a frame and the ref of each listed element on a screenshot.

Rule 1: the color shows the sources of an element: the page, vision, or both.
Rule 2: frames and labels have a light and a dark line each, so that they are visible on any page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from perception.types import Element, Pixels, Screenshot, Source

PAGE_COLOR = (10, 104, 225)
VISION_COLOR = (200, 20, 125)
BOTH_COLOR = (0, 125, 70)
"""RGB. White text on each has a contrast of at least 5:1 (WCAG requires 4.5:1); the three differ in lightness and in
hue for people with red-green color blindness."""

LABEL_SIZE = 11
"""CSS px: the smallest size at which Pillow's own font is crisp at one device pixel for each CSS pixel."""

_TALLEST = "ev0123456789"
"""All characters of refs, so that all labels have the same height."""

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

Rectangle = tuple[int, int, int, int]
"""Left, top, right, bottom in image px; right and bottom are exclusive."""


@dataclass(frozen=True, slots=True)
class Label:
    """The label of an element.

    Attributes:
        ref: text of the label.
        place: rectangle of the label, image px.
        color: background, RGB.
    """

    ref: str
    place: Rectangle
    color: tuple[int, int, int]


def annotate(screenshot: Screenshot, elements: Sequence[Element]) -> Pixels:
    """Draws boxes and refs on a copy of a screenshot.

    Args:
        screenshot: screenshot of the viewport.
        elements: elements to draw; those without a ref, outside the viewport, covered or without area are skipped.

    Returns:
        (H, W, 3) uint8 BGR, as large as the screenshot; an unchanged copy if there is nothing to draw.
    """
    image = Image.fromarray(np.ascontiguousarray(screenshot.pixels[..., ::-1]))
    draw = ImageDraw.Draw(image)
    unit = max(1, round(screenshot.scale))
    shown = [(element, frame) for element in elements if (frame := _frame(element, screenshot)) is not None]
    for element, frame in shown:
        _draw_frame(draw, frame, color_of(element), unit)
    font = ImageFont.load_default(LABEL_SIZE * screenshot.scale)
    for label in place_labels(shown, font, image.size, unit):
        _draw_label(draw, label, font, unit)
    return np.ascontiguousarray(np.asarray(image)[..., ::-1])


def color_of(element: Element) -> tuple[int, int, int]:
    """The color for an element's sources, RGB."""
    page = Source.AX in element.sources or Source.DOM in element.sources
    vision = Source.OCR in element.sources or Source.DETECTOR in element.sources
    if page and vision:
        return BOTH_COLOR
    return PAGE_COLOR if page else VISION_COLOR


def place_labels(
    shown: Sequence[tuple[Element, Rectangle]],
    font: Font,
    size: tuple[int, int],
    unit: int,
) -> list[Label]:
    """Finds a place for each label that hides no other label and, if possible, no small element.

    Places are tried in this order: above the box at its left, then at its right, below it, beside it, and inside its
    corners. Small elements come first, since they have the fewest unambiguous places. If every place overlaps, the one
    with the least overlap is used.

    Args:
        shown: elements and their frames, image px.
        font: font of the labels.
        size: width and height of the image, px.
        unit: width of a line, image px.
    """
    taken = np.zeros((0, 4), np.int64)
    frames = np.array([frame for _, frame in shown], np.int64).reshape(-1, 4)
    labels = []
    for row in sorted(range(len(shown)), key=lambda row: (_area(shown[row][1]), row)):
        element, frame = shown[row]
        places = _places(frame, _label_size(element.ref, font, unit), size)
        others = np.delete(frames, row, axis=0)
        costs = [_overlap(place, taken) * 8 + _overlap(place, others[_small(others, place)]) for place in places]
        place = places[int(np.argmin(costs))]
        taken = np.vstack([taken, place])
        labels.append(Label(element.ref, place, color_of(element)))
    return labels


def _frame(element: Element, screenshot: Screenshot) -> Rectangle | None:
    """The part of an element's box in the screenshot, image px; None for an element that is not drawn, or less than 3
    px wide or high."""
    is_covered = bool(element.blocker) and not element.reachable
    if is_covered or not (element.ref and element.in_viewport):
        return None
    height, width = screenshot.pixels.shape[:2]
    scale, box = screenshot.scale, element.box
    left, top = max(0, round(box.left * scale)), max(0, round(box.top * scale))
    right, bottom = min(width, round(box.right * scale)), min(height, round(box.bottom * scale))
    return (left, top, right, bottom) if right - left >= 3 and bottom - top >= 3 else None


def _label_size(ref: str, font: Font, unit: int) -> tuple[int, int]:
    _, top, _, bottom = font.getbbox(_TALLEST)
    return round(font.getlength(ref)) + 5 * unit, round(bottom - top) + 4 * unit


def _places(frame: Rectangle, label: tuple[int, int], size: tuple[int, int]) -> list[Rectangle]:
    left, top, right, bottom = frame
    width, height = label
    corners = [
        (left, top - height),
        (right - width, top - height),
        (left, bottom),
        (right - width, bottom),
        (left - width, top),
        (right, top),
        (right - width, top),
        (left, top),
        (right - width, bottom - height),
        (left, bottom - height),
    ]
    inside = (
        (min(max(x, 0), size[0] - width) for x, _ in corners),
        (min(max(y, 0), size[1] - height) for _, y in corners),
    )
    return [(max(x, 0), max(y, 0), max(x, 0) + width, max(y, 0) + height) for x, y in zip(*inside, strict=True)]


def _small(frames: NDArray[np.int64], place: Rectangle) -> NDArray[np.bool_]:
    """(N,) whether a frame is so small that a label would hide it: up to the area of twenty labels."""
    areas = (frames[:, 2] - frames[:, 0]) * (frames[:, 3] - frames[:, 1])
    return np.asarray(areas <= 20 * _area(place), bool)


def _area(frame: Rectangle) -> int:
    return (frame[2] - frame[0]) * (frame[3] - frame[1])


def _overlap(place: Rectangle, others: NDArray[np.int64]) -> int:
    """Area of a rectangle that others cover, image px, counted once for each."""
    sides = np.minimum(others[:, 2:], place[2:]) - np.maximum(others[:, :2], place[:2])
    return int(sides.clip(0).prod(axis=1).sum())


def _draw_frame(draw: ImageDraw.ImageDraw, frame: Rectangle, color: tuple[int, int, int], unit: int) -> None:
    left, top, right, bottom = frame
    # A light line inside the colored one makes it visible on dark pages.
    draw.rectangle((left, top, right - 1, bottom - 1), outline=color, width=unit)
    if min(right - left, bottom - top) > 8 * unit:
        draw.rectangle((left + unit, top + unit, right - 1 - unit, bottom - 1 - unit), outline=(255, 255, 255), width=1)


def _draw_label(draw: ImageDraw.ImageDraw, label: Label, font: Font, unit: int) -> None:
    left, top, right, bottom = label.place
    draw.rectangle(
        (left, top, right - 1, bottom - 1), fill=label.color, outline=(255, 255, 255), width=max(1, unit // 2)
    )
    _, ink_top, _, ink_bottom = font.getbbox(_TALLEST)
    x = left + (right - left - font.getlength(label.ref)) / 2
    y = top + (bottom - top - (ink_bottom - ink_top)) / 2 - ink_top
    draw.text((round(x), round(y)), label.ref, font=font, fill=(255, 255, 255))
